-- A Wireshark dissector for the notification channel of the Diverge provider protocol: the asks on /requests and the
-- messages on /mcp/notifications/{channel} and /tool/notifications, on any port. For Wireshark and tshark 4.0 and later:
--
--   tshark -X lua_script:scripts/wireshark/kind4.lua -r FILE -Y 'kind4.tag > 1'
--
-- The WebSocket dissector hands on what it carries without path or opcode, and an empty message not at all. So a
-- heuristic takes the messages of these paths, that nobody else shows them, and a post-dissector, which sees all fields
-- of a packet, shows them in the order they came.

local kind4 = Proto("kind4", "Diverge Provider Notification Channel")

local kinds = {
	[0] = "list tools", "list resources", "call tool", "read resource", "notifications", "vault get", "vault set",
	"vault delete", "vault lock", "vault unlock", "command", "postgres", "fuse read", "fuse write", "fuse list",
	"fuse remove", "fuse rename", "fuse mkdir", "fuse stat",
}
local last_json_kind, notifications_kind = 3, 4

local tags = { [0] = "notification", "error" }

local fields = {
	path = ProtoField.string("kind4.path", "Path"),
	length = ProtoField.uint32("kind4.length", "Length", base.DEC, nil, nil, "Bytes of the message, tag included"),
	channel = ProtoField.uint32("kind4.channel", "Channel", base.DEC),
	kind = ProtoField.uint8("kind4.kind", "Kind", base.DEC, kinds),
	payload = ProtoField.bytes("kind4.payload", "Payload"),
	tag = ProtoField.uint8("kind4.tag", "Tag", base.DEC, tags),
	body = ProtoField.bytes("kind4.body", "Body"),
	method = ProtoField.string("kind4.method", "Method"),
	code = ProtoField.int32("kind4.error.code", "Error code", base.DEC),
	message = ProtoField.string("kind4.error.message", "Error message"),
	text = ProtoField.string("kind4.text", "Text", base.UNICODE),
}
kind4.fields = fields

local group, severity = expert.group, expert.severity
local experts = {
	empty_message = ProtoExpert.new("kind4.empty_message", "A message of 0 bytes: not even a tag",
		group.MALFORMED, severity.ERROR),
	unknown_tag = ProtoExpert.new("kind4.unknown_tag", "Unknown tag: neither 0 nor 1", group.MALFORMED, severity.ERROR),
	empty_body = ProtoExpert.new("kind4.empty_body", "A tag and no body", group.MALFORMED, severity.ERROR),
	not_json = ProtoExpert.new("kind4.not_json", "The body is not one whole JSON object",
		group.MALFORMED, severity.ERROR),
	ask_truncated = ProtoExpert.new("kind4.ask_truncated", "An ask of fewer than 5 bytes",
		group.MALFORMED, severity.ERROR),
	ask_unknown_kind = ProtoExpert.new("kind4.ask_unknown_kind", "Kind 19 and up is not specified",
		group.PROTOCOL, severity.WARN),
	ask_trailing = ProtoExpert.new("kind4.ask_trailing", "Bytes behind a kind-4 header: ignored by a reader",
		group.PROTOCOL, severity.CHAT),
	text_message = ProtoExpert.new("kind4.text_message", "A text message carries no meaning here",
		group.PROTOCOL, severity.WARN),
	wrong_way = ProtoExpert.new("kind4.wrong_way", "The other side sends on this path", group.PROTOCOL, severity.ERROR),
	incomplete = ProtoExpert.new("kind4.incomplete", "Wireshark has not all bytes of this message",
		group.UNDECODED, severity.NOTE),
}
kind4.experts = {}
for _, each in pairs(experts) do
	table.insert(kind4.experts, each)
end

-- A field extractor yields what the packet at hand has of that field.
local uri_of = Field.new("http.request.uri")
local fin_of = Field.new("websocket.fin")
local opcode_of = Field.new("websocket.opcode")
local length_of = Field.new("websocket.payload_length")
local length_16_of = Field.new("websocket.payload_length_ext_16")
local length_64_of = Field.new("websocket.payload_length_ext_64")
local payload_of = Field.new("websocket.payload")
local joined_of = Field.new("websocket.fragments")

-- What earlier packets said, in their order: paths by connection, and by sender the opcodes that began fragmented
-- messages. Packets are dissected again, and in any order, so that each entry carries its place.
local paths, begun = {}, {}

function kind4.init()
	paths, begun = {}, {}
end

-- remember notes what stands at that place; what is noted there already is replaced.
local function remember(list, place, value)
	local at = #list
	while at > 0 and list[at].place > place do
		at = at - 1
	end
	if at > 0 and list[at].place == place then
		list[at].value = value
	else
		table.insert(list, at + 1, { place = place, value = value })
	end
end

-- recall returns the last that was noted up to that place.
local function recall(list, place)
	for at = #(list or {}), 1, -1 do
		if list[at].place <= place then
			return list[at].value
		end
	end
end

local function list_of(lists, key)
	lists[key] = lists[key] or {}
	return lists[key]
end

local function sender(pinfo)
	return tostring(pinfo.src) .. " " .. pinfo.src_port
end

local function receiver(pinfo)
	return tostring(pinfo.dst) .. " " .. pinfo.dst_port
end

local function connection(pinfo)
	local from, to = sender(pinfo), receiver(pinfo)
	return from < to and from .. " " .. to or to .. " " .. from
end

-- path_of_target takes query, scheme and authority from a request target (RFC 9112 section 3.2).
local function path_of_target(target)
	local path = target:match("^[^?]*")
	local scheme, rest = path:match("^(%a+)://[^/]*(.*)$")
	if scheme and (scheme:lower() == "http" or scheme:lower() == "https") then
		return rest
	end
	return path
end

-- known_path tells what a request opens: nil for a path that is none of the three. writer is who sends there: the
-- client, which sent the request, or the server.
local function known_path(target)
	local path = path_of_target(target)
	if path == "/requests" then
		return { path = path, writer = "server", asks = true }
	elseif path == "/tool/notifications" then
		return { path = path, writer = "server" }
	end
	local channel = tonumber(path:match("^/mcp/notifications/(%d+)$"))
	if channel and channel < 2 ^ 32 then
		return { path = path, writer = "client", channel = channel }
	end
end

local function note_requests(pinfo)
	for _, uri in ipairs({ uri_of() }) do
		if not uri.generated then -- since 4.4 a response repeats it
			local path = known_path(uri.value) or {}
			path.client = sender(pinfo)
			remember(list_of(paths, connection(pinfo)), pinfo.number, path)
		end
	end
end

local function path_of(pinfo)
	local path = recall(paths[connection(pinfo)], pinfo.number)
	return path and path.path and path
end

kind4:register_heuristic("ws", function(_, pinfo)
	return path_of(pinfo) ~= nil
end)

-- after_string returns the position behind the JSON string whose opening quote is there, or behind the text.
local function after_string(text, position)
	position = text:find('[\\"]', position + 1)
	while position and text:sub(position, position) == "\\" do
		position = text:find('[\\"]', position + 2)
	end
	return (position or #text) + 1
end

-- after_value returns the position behind the JSON value that begins there, and whether it saw its end: nothing marks a
-- number's.
local function after_value(text, position)
	local depth = 0
	repeat
		position = text:find('["%[%]{},]', position)
		local mark = position and text:sub(position, position)
		if not mark then
			return #text + 1, false
		elseif mark == '"' then
			position = after_string(text, position)
		elseif mark == "[" or mark == "{" then
			depth, position = depth + 1, position + 1
		elseif depth == 0 then
			return position, true
		else
			depth, position = mark == "," and depth or depth - 1, position + 1
		end
	until depth == 0
	return position, true
end

-- json_problem says why the text is not one whole JSON object, nil where it looks like one.
local function json_problem(text)
	local opening = text:match("^%s*()[%[{]")
	if not opening then
		return "The body is not a JSON object"
	end
	local behind, whole = after_value(text, opening)
	if not whole then
		return "The body ends inside a JSON value"
	elseif text:find("%S", behind) then
		return "Something stands behind the JSON value"
	end
end

-- unescaped resolves the escapes of ASCII characters, and leaves others as they were sent.
local function unescaped(text)
	text = text:gsub("\\u00([2-7]%x)", function(digits)
		return string.char(tonumber(digits, 16))
	end)
	return (text:gsub('\\(["/])', "%1"))
end

-- string_of returns what a JSON string holds, nil for another value and a string without its end.
local function string_of(value)
	local text = value and value:match('^"(.*)"%s*$')
	return text and unescaped(text)
end

-- elements returns the first three elements of a JSON array, as sent.
local function elements(text, position)
	local found = {}
	while #found < 3 do
		position = text:match("^[%s,]*()[^%s,%]}]", position)
		if not position then
			break
		end
		local behind = after_value(text, position)
		table.insert(found, text:sub(position, behind - 1))
		position = behind
	end
	return found
end

-- members returns the values of a JSON object's members by their names, as sent, and an array's by their numbers. Of
-- text that is not JSON it returns what could be read.
local function members(text)
	local opening, position = text:match("^%s*([%[{])()")
	if opening == "[" then
		return elements(text, position)
	end
	local found = {}
	while position do
		local quote = text:match('^[%s,]*()"', position)
		if not quote then
			break
		end
		local behind = after_string(text, quote)
		position = text:match("^%s*:%s*()", behind)
		if position then
			local value = position
			position = after_value(text, value)
			found[unescaped(text:sub(quote + 1, behind - 2))] = text:sub(value, position - 1)
		end
	end
	return found
end

local function show_json(tvb, pinfo, tree)
	if tvb:reported_len() > 0 then
		Dissector.get("json"):call(tvb, pinfo, tree)
	end
end

-- show_notification and show_error take the receiver's view that an array of the members in order is the object too.
local function show_notification(tree, body, json)
	local method = string_of(json.method or json[1])
	if method then
		tree:add(fields.method, body, method)
	end
	return method
end

local function show_error(tree, body, json)
	local code = (json.code or json[1] or ""):match("^(-?%d+)%s*$")
	if code and math.abs(tonumber(code)) < 2 ^ 31 then
		tree:add(fields.code, body, tonumber(code))
	end
	local message = string_of(json.message or json[2])
	if message then
		tree:add(fields.message, body, message)
	end
	return table.concat({ code, message }, " ")
end

local function show_body(body, pinfo, tree, tag, whole)
	local item, text = tree:add(fields.body, body), body:raw()
	local problem = whole and json_problem(text)
	if problem then
		item:add_proto_expert_info(experts.not_json, problem)
	end
	local summary = (tag == 0 and show_notification or show_error)(tree, body, members(text))
	show_json(body:tvb(), pinfo, tree)
	return summary
end

-- The functions that show a message return what the Info column says of it.
local function show_frame(bytes, pinfo, tree, whole)
	local tag = bytes(0, 1):uint()
	local item = tree:add(fields.tag, bytes(0, 1))
	if not tags[tag] then
		item:add_proto_expert_info(experts.unknown_tag, string.format("Unknown tag %d (0x%02x)", tag, tag))
		if bytes:len() > 1 then
			tree:add(fields.body, bytes(1))
		end
		return "unknown tag " .. tag
	elseif bytes:len() == 1 then
		item:add_proto_expert_info(experts.empty_body)
		return tags[tag]
	end
	return tags[tag] .. " " .. (show_body(bytes(1), pinfo, tree, tag, whole) or "")
end

local function show_payload(payload, pinfo, tree, kind)
	local item = tree:add(fields.payload, payload)
	if kind <= last_json_kind then
		show_json(payload:tvb(), pinfo, tree)
	elseif kind == notifications_kind then
		item:add_proto_expert_info(experts.ask_trailing)
	end
end

local function show_ask(bytes, pinfo, tree)
	if bytes:len() < 5 then
		tree:add_proto_expert_info(experts.ask_truncated)
		return "truncated ask"
	end
	local channel, kind = bytes(0, 4):uint(), bytes(4, 1):uint()
	tree:add(fields.channel, bytes(0, 4))
	local item = tree:add(fields.kind, bytes(4, 1))
	if not kinds[kind] then
		item:add_proto_expert_info(experts.ask_unknown_kind)
	end
	if bytes:len() > 5 then
		show_payload(bytes(5), pinfo, tree, kind)
	end
	return string.format("ch %d ask %d %s", channel, kind, kinds[kind] or "unknown")
end

-- show_bytes shows a message that is not decoded.
local function show_bytes(bytes, tree, field, problem)
	tree:add_proto_expert_info(problem)
	if bytes then
		tree:add(field, bytes)
	end
end

local function show_content(message, pinfo, tree)
	local bytes, path = message.bytes, message.path
	if message.wrong_way then
		show_bytes(bytes, tree, fields.body, experts.wrong_way)
		return "wrong way"
	elseif message.text then
		show_bytes(bytes, tree, fields.text, experts.text_message)
		return "text message"
	elseif message.lost then
		tree:add_proto_expert_info(experts.incomplete)
		return "incomplete"
	elseif path.asks then
		return show_ask(bytes or ByteArray.new():tvb("empty")(), pinfo, tree)
	elseif not bytes then
		tree:add_proto_expert_info(experts.empty_message)
		return "empty message"
	end
	return show_frame(bytes, pinfo, tree, bytes:len() == message.length)
end

local function show_message(message, pinfo, tree)
	local path, bytes = message.path, message.bytes
	local subtree = bytes and tree:add(kind4, bytes) or tree:add(kind4)
	subtree:add(fields.path, path.path):set_generated()
	if not message.lost then
		subtree:add(fields.length, message.length):set_generated()
	end
	local summary = ""
	if path.channel then
		subtree:add(fields.channel, path.channel):set_generated()
		summary = "ch " .. path.channel .. " "
	end
	summary = summary .. show_content(message, pinfo, subtree)
	if bytes and bytes:len() < message.length then
		subtree:add_proto_expert_info(experts.incomplete)
	end
	subtree:append_text(": " .. summary)
	return summary
end

-- lengths returns the frames' lengths (RFC 6455 section 5.2). Wireshark may unmask less: websocket.max_unmasked_len.
local function lengths()
	local found, of_16, of_64 = {}, { length_16_of() }, { length_64_of() }
	for _, short in ipairs({ length_of() }) do
		local from = short.value == 126 and of_16 or short.value == 127 and of_64
		table.insert(found, tonumber(tostring((from and table.remove(from, 1) or short).value)))
	end
	return found
end

-- messages returns the messages that end in this packet, in order. A message is fragmented over frames: the first has
-- its opcode, and Wireshark joins their bytes (RFC 6455 section 5.4).
local function messages(pinfo, path)
	local opcodes, fins, sizes = { opcode_of() }, { fin_of() }, lengths()
	local payloads, joined = { payload_of() }, { joined_of() }
	local from = list_of(begun, sender(pinfo) .. " " .. receiver(pinfo))
	local wrong_way = (sender(pinfo) == path.client) ~= (path.writer == "client")
	local found, next_payload, next_joined = {}, 1, 1
	for i, opcode in ipairs(opcodes) do
		local code, fin, size, payload = opcode.value, fins[i].value, sizes[i], nil
		local place = pinfo.number + i / 2 ^ 20
		if size > 0 then
			payload, next_payload = payloads[next_payload], next_payload + 1
		end
		if code ~= 0 and code < 8 and not fin then
			remember(from, place, code)
		elseif code == 0 and fin then
			code, payload, next_joined = recall(from, place), joined[next_joined], next_joined + 1
			size = payload and payload.len
		end
		if fin and (code == nil or code < 8) then
			table.insert(found, {
				path = path,
				wrong_way = wrong_way,
				text = code == 1,
				lost = payload == nil and opcode.value == 0,
				bytes = payload and payload.range,
				length = size,
			})
		end
	end
	return found
end

-- printable makes a summary fit for one line of a terminal.
local function printable(summaries)
	local text = "kind4 " .. table.concat(summaries, "; ", 1, math.min(#summaries, 8))
	if #summaries > 8 then
		text = text .. "; and " .. #summaries - 8 .. " more"
	end
	return (text:gsub("[^\32-\126]", function(byte)
		return string.format("\\x%02x", byte:byte())
	end))
end

function kind4.dissector(_, pinfo, tree)
	note_requests(pinfo)
	local path = opcode_of() and path_of(pinfo)
	if not path then
		return
	end
	local summaries = {}
	for _, message in ipairs(messages(pinfo, path)) do
		table.insert(summaries, show_message(message, pinfo, tree))
	end
	if #summaries > 0 then
		pinfo.cols.protocol = "kind4"
		pinfo.cols.info = printable(summaries)
	end
end

register_postdissector(kind4)
