package cmd

// headword is one entry of a topic other than the findings.
type headword struct {
	name string
	also string // other words that lead here, separated by spaces
	meaning
}

// exitTerms explains the exit codes; kind4(1) lists the same.
var exitTerms = []headword{
	{"0", "ok success", meaning{
		"the condition asked for was met",
		"The stream was complete, the count was reached, every --expect was seen, or all messages decoded.",
		"An empty stream never ends with 0.",
		"",
	}},
	{"1", "", meaning{
		"an operation failed",
		"A file could not be read or written, or what holds the messages is broken: an odd hex digit, a length beyond the end. What came before was shown.",
		"",
		"The line on standard error names the file and the place.",
	}},
	{"2", "usage", meaning{
		"wrong usage",
		"A flag or an argument is unknown, missing or out of range, or an output form does not suit a terminal.",
		"",
		"The line on standard error names it and the nearest right one; --help lists them all.",
	}},
	{"3", "", meaning{
		"could not listen or dial, or was refused",
		"The address could not be listened on: most often another program has the port. Or the URL could not be dialled, or the proxy there refused the path.",
		"",
		"Stop the proxy that runs there, or let kind4 choose a port: -l 127.0.0.1:0. Of a refusal, standard error says status and body.",
	}},
	{"4", "", meaning{
		"not enough came",
		"The ask was not served, there was no input, nothing came until the natural end, or the end came before the count or an expectation.",
		"Silence is not success.",
		"Look at the lines on standard error: did the provider open /requests, and the notification path?",
	}},
	{"5", "", meaning{
		"an error message came: the stream failed",
		"A message under tag 1 came. It says why the provider can no longer keep the stream open.",
		"",
		"Read its code and message; `kind4 explain -32603` says what a code means.",
	}},
	{"6", "", meaning{
		"a finding at the --fail-on level",
		"A message did not decode, or there was a finding at the level of --fail-on: an error by default, any warning too with --fail-on warning.",
		"A real proxy stops at the first message that it cannot decode.",
		"Mend what the findings say, or silence one with --ignore CODE (what does not decode fails still), or all with --fail-on never.",
	}},
	{"7", "", meaning{
		"a notification path died",
		"A notification path ended without a closing handshake, or broke the WebSocket rules. Of kind4 provide: the proxy ended one too soon, broke a rule, or let a fault pass.",
		"Nobody can tell whether more was to come.",
		"Let the provider send a Close frame, and wait for the answer, before it drops the connection.",
	}},
	{"124", "timeout", meaning{
		"--timeout or --wait ran out",
		"The time ran out before a condition that was asked for: a count, an expectation, or the end of a path.",
		"",
		"Standard error names what was still missing.",
	}},
	{"130", "SIGINT Ctrl-C", meaning{
		"interrupted (SIGINT)",
		"Somebody pressed Ctrl-C. Open paths got their Close first.",
		"",
		"",
	}},
	{"143", "SIGTERM SIGHUP", meaning{
		"terminated (SIGTERM, SIGHUP)",
		"The process was told to end. Open paths got their Close first.",
		"",
		"",
	}},
}

// tagTerms explains the first byte of a message (seed, response/frame.rs).
var tagTerms = []headword{
	{"0", "0x00", meaning{
		"a notification follows",
		"The first byte of a message. After the byte 0 stands one notification as JSON: {\"method\": …, \"params\": {…}}.",
		"The byte is 0x00, not the character \"0\" (0x30).",
		"",
	}},
	{"1", "0x01", meaning{
		"an error follows, and the stream ends",
		"The first byte of a message. After the byte 1 stands an error as JSON: {\"code\": …, \"message\": …}. It is the last message on its path; the provider closes after it.",
		"The stream failed, and this is why (exit code 5).",
		"",
	}},
}

// unknownTag explains every other first byte.
var unknownTag = meaning{
	"an unknown tag",
	"The first byte of a message is 0 or 1. Any other is an unknown tag: the receiver refuses the message and stops listening there.",
	"",
	"See `kind4 explain unknown-tag`.",
}

// kindTerms explains the asks; the index is the kind, whose name and path stand in package decode.
var kindTerms = [19]meaning{
	0: {means: "The proxy asks for the caller's tools. Payload: the params as JSON, null for none."},
	1: {means: "The proxy asks for the caller's resources. Payload: the params as JSON, null for none."},
	2: {means: "The proxy asks to call a tool of the caller. Payload: the params as JSON."},
	3: {means: "The proxy asks to read a resource of the caller. Payload: the params as JSON."},
	4: {
		means:   "The proxy asks to hear what the caller's MCP servers say on their own account. The payload is empty. The provider answers on /mcp/notifications/{channel}, one message a notification, for as long as the path lives.",
		matters: "A proxy asks after its first exchange of kinds 0 to 3, and keeps one such ask open. When the path ends, it asks again on the next /requests; what happens in between is never sent again.",
		act:     "On channel 7 the ask is the five bytes 00 00 00 07 04: `kind4 ask --channel 7 -f hex`.",
	},
	5:  {means: "The proxy asks for a value of the vault. Payload: the key."},
	6:  {means: "The proxy asks to keep a value in the vault. Payload: the key's length (u16), the key, the value."},
	7:  {means: "The proxy asks to remove a key from the vault. Payload: the key."},
	8:  {means: "The proxy asks to lock a key of the vault. Payload: a time to live (u32), the key."},
	9:  {means: "The proxy asks to unlock a key of the vault. Payload: the key."},
	10: {means: "The proxy asks to run a command. The payload is opaque."},
	11: {means: "The proxy asks for a database connection. The payload is empty; bytes then travel both ways."},
	12: {means: "The proxy asks to read a file. Payload: an id behind its length (u16), the path."},
	13: {means: "The proxy asks to write a file. Payload: an id and a path, each behind its length (u16), the bytes."},
	14: {means: "The proxy asks for what a folder holds. Payload: an id behind its length (u16), the path."},
	15: {means: "The proxy asks to remove a file or folder. Payload: an id behind its length (u16), the path."},
	16: {means: "The proxy asks to rename. Payload: an id and the old path, each behind its length (u16), the new path."},
	17: {means: "The proxy asks to make a folder. Payload: an id behind its length (u16), the path."},
	18: {means: "The proxy asks what a path is. Payload: an id behind its length (u16), the path."},
}

// unknownKind explains every other kind.
var unknownKind = meaning{
	"an unknown kind",
	"The specification defines the kinds 0 to 18.",
	"",
	"See `kind4 explain ask-unknown-kind`.",
}

// typeTerms explains the members type and variant of the json form.
var typeTerms = []headword{
	{"notification", "", meaning{"tag 0, and it decoded", "A message under tag 0 whose body the receiver takes. Its variant says as what.", "", ""}},
	{"error", "", meaning{"tag 1, and it decoded", "A message under tag 1 whose body the receiver takes: the stream failed.", "", ""}},
	{"unknown", "", meaning{"a tag that is neither 0 nor 1", "A message whose first byte is neither 0 nor 1.", "", "See `kind4 explain unknown-tag`."}},
	{"empty", "", meaning{"no bytes at all", "A message of 0 bytes.", "", "See `kind4 explain empty-message`."}},
	{"undecodable", "broken", meaning{"a body that the receiver refuses", "A message with a known tag and a body that the receiver cannot read. The member failure says why: layer, code, offset.", "A real proxy stops listening there.", ""}},
	{"text", "", meaning{"a text message, not decoded", "A WebSocket text message. It carries no meaning.", "", "See `kind4 explain text-message`."}},
	{"oversize", "", meaning{"longer than --max-size", "A message longer than --max-size.", "", "See `kind4 explain oversize`."}},
	{"custom", "", meaning{"a notification without a type", "The variant of a notification whose method the receiver does not know, or whose params do not fit the method.", "The receiver hands it over untyped.", "See `kind4 explain custom-method` and `kind4 explain params-misfit`."}},
}

// severityTerms explains how much a finding matters.
var severityTerms = []headword{
	{"error", "", meaning{"refused, or the protocol is broken", "The receiver refuses the message, or the protocol is broken. Fails with exit code 6 unless --fail-on never.", "", ""}},
	{"warning", "", meaning{"taken, but not as it was meant", "The message is taken, but does not do what its sender meant, or breaks JSON-RPC or MCP. Fails with --fail-on warning only.", "", ""}},
	{"info", "", meaning{"worth knowing, nothing broken", "Nothing is broken. Never changes the exit code.", "", ""}},
}

// layerTerms explains where a fault lies, in the order in which a message meets the layers.
var layerTerms = []headword{
	{"wire", "", meaning{"WebSocket, or the capture around it", "The WebSocket layer, or the file that holds the messages.", "", ""}},
	{"bytes", "", meaning{"the tag byte, the encoding of the text", "The tag byte, and whether the rest is UTF-8.", "", ""}},
	{"json", "", meaning{"JSON's grammar", "Whether the body is JSON, as the receiver's parser reads it.", "", ""}},
	{"envelope", "", meaning{"method, params, id", "JSON-RPC: whether the JSON has the shape of a notification or an error.", "", ""}},
	{"params", "", meaning{"what a method's params hold", "Whether the params are those that the method needs, and what an error holds.", "", ""}},
	{"session", "", meaning{"what only earlier messages can tell", "What follows from the messages before: progress that runs backwards, a message after the end.", "", ""}},
}

// endingTerms explains what became of a path.
var endingTerms = []headword{
	{"complete", "", meaning{"closed cleanly, after messages", "The provider closed the path by a closing handshake, after one or more messages.", "Everything it had to say was said.", ""}},
	{"not served", "served", meaning{"closed cleanly, with no message", "The provider closed the path by a closing handshake, with no message before it: the ask was not served.", "", "See `kind4 explain not-served`."}},
	{"failed", "", meaning{"an error message, then the close", "The provider sent a message under tag 1, which says why, and closed.", "Exit code 5.", ""}},
	{"died", "", meaning{"ended without a closing handshake", "The connection ended without a Close frame, or broke the WebSocket rules.", "Nobody can tell whether more was to come. Exit code 7.", ""}},
}

// methodTerms explains MCP's methods: those that the receiver has types for, then those that travel here
// although they should not.
var methodTerms = []headword{
	{"notifications/cancelled", "cancelled requestId reason", meaning{
		"a request is given up",
		"Asks the receiver to abort an operation. Params: requestId (string or integer, optional to this receiver), reason (string, optional).",
		"It is a command that nobody answers.",
		"See `kind4 explain cancels-work`.",
	}},
	{"notifications/progress", "progress progressToken total", meaning{
		"how far an operation is",
		"Params: progressToken (string or integer) and progress (number), both needed; total (number) and message (string), both optional.",
		"For one token progress must increase and must not pass a known total. 4 and \"4\" are two tokens.",
		"Send the token exactly as the request gave it, type included.",
	}},
	{"notifications/message", "message level logger data log", meaning{
		"a log message",
		"Params: level (debug, info, notice, warning, error, critical, alert or emergency) and data (any JSON, null too), both needed; logger (string, optional).",
		"Any other level, \"warn\" for instance, makes it a custom notification.",
		"",
	}},
	{"notifications/resources/updated", "resources/updated updated uri", meaning{
		"a resource changed",
		"Params: uri (string), needed.",
		"",
		"",
	}},
	{"notifications/resources/list_changed", "resources/list_changed list_changed", meaning{
		"the list of resources changed",
		"Needs no params.",
		"",
		"",
	}},
	{"notifications/tools/list_changed", "tools/list_changed list_changed", meaning{
		"the list of tools changed",
		"Needs no params.",
		"",
		"",
	}},
	{"notifications/prompts/list_changed", "prompts/list_changed list_changed", meaning{
		"the list of prompts changed",
		"Needs no params.",
		"",
		"",
	}},
	{"notifications/subscriptions/acknowledged", "subscriptions/acknowledged acknowledged", meaning{
		"what was subscribed to",
		"Params: notifications, an object, needed. Its members are all optional: toolsListChanged, promptsListChanged, resourcesListChanged (booleans), resourceSubscriptions (array of strings).",
		"",
		"",
	}},
	{"notifications/tasks", "tasks task taskId status ttlMs", meaning{
		"a task's state",
		"Params: taskId, status (working, input_required, completed, failed or cancelled), createdAt and lastUpdatedAt, all strings and needed; ttlMs and pollIntervalMs (unsigned integers) and statusMessage, all optional. input_required needs inputRequests, completed needs result, failed needs error, each an object.",
		"Whichever of these three are there must fit, whatever the status.",
		"",
	}},
	{"notifications/initialized", "initialized", meaning{
		"a client's, the wrong way here",
		"A client tells a server that it is ready. On this path servers speak, so it is taken for a custom notification.",
		"",
		"See `kind4 explain wrong-direction`.",
	}},
	{"notifications/roots/list_changed", "roots/list_changed list_changed", meaning{
		"a client's, the wrong way here",
		"A client tells a server that its roots changed. On this path servers speak, so it is taken for a custom notification.",
		"",
		"See `kind4 explain wrong-direction`.",
	}},
	{"notifications/elicitation/complete", "elicitation/complete", meaning{
		"of MCP 2025-11-25; custom here",
		"An elicitation that happened elsewhere is complete. This receiver has no type for it and hands it over as custom.",
		"",
		"See `kind4 explain old-method`.",
	}},
	{"notifications/tasks/status", "tasks/status", meaning{
		"of MCP 2025-11-25; custom here",
		"A task's state, as an older revision spelled it. This receiver has no type for it and hands it over as custom.",
		"",
		"Send notifications/tasks. See `kind4 explain old-method`.",
	}},
}

// requestText explains the methods of [inspect.RequestMethods].
var requestText = meaning{
	"a request; custom here",
	"MCP defines this method as a request: it has an id and gets an answer. Sent as a notification it is taken for a custom one.",
	"Nobody answers it here.",
	"See `kind4 explain request-method`.",
}

// levelNames are the levels of notifications/message, least first (RFC 5424 section 6.2.1).
var levelNames = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

var levelText = meaning{
	"a level of notifications/message",
	"A log message's level, one of debug, info, notice, warning, error, critical, alert, emergency, in small letters.",
	"A log message of level error is a notification like any other; it does not end the stream.",
	"",
}

// errorTerms explains the error codes that have names (JSON-RPC 2.0 section 5.1, MCP).
var errorTerms = []headword{
	{"-32700", "", meaning{
		"parse error",
		"The MCP server could not parse a message as JSON.",
		"It has no request to answer, so it says this to nobody in particular.",
		"Look at what was last sent to the server, and for anything but JSON in between: log lines, a byte order mark.",
	}},
	{"-32600", "", meaning{
		"invalid request",
		"What came was JSON, but no valid request.",
		"The request was not carried out.",
		"Look at its envelope: jsonrpc, method, id. A batch, an array of requests, is none since MCP 2025-06-18.",
	}},
	{"-32601", "", meaning{
		"method not found",
		"The MCP server does not know the method, or does not offer it.",
		"Asking again does not help.",
		"Compare the method's spelling with the specification, and what the server declared among its capabilities.",
	}},
	{"-32602", "", meaning{
		"invalid params",
		"The method's params were not what it needs.",
		"The request was not carried out.",
		"The error's message or data mostly names the member; compare its type with the method's schema.",
	}},
	{"-32603", "", meaning{
		"internal error",
		"Something went wrong inside the MCP server, or between it and the provider.",
		"Under tag 1 it ends the stream.",
		"Its message and data say more; then look at the server's own log.",
	}},
	{"-32002", "", meaning{
		"resource not found",
		"MCP: there is no resource of that URI.",
		"It may have been there when it was listed.",
		"List the resources again, and compare the URI byte for byte.",
	}},
	{"-32020", "", meaning{
		"header mismatch",
		"MCP: an HTTP header and the message say different things.",
		"The server cannot tell which of them is meant.",
		"Look for a proxy or a client that sets the header once and keeps it for other messages.",
	}},
	{"-32021", "", meaning{
		"missing required client capability",
		"MCP: the server needs a capability that the client did not declare.",
		"The request works with another client.",
		"Let the client declare it when it initializes; the error's data may name it.",
	}},
	{"-32022", "", meaning{
		"unsupported protocol version",
		"MCP: the server does not speak the revision that was asked for.",
		"Nothing else is answered until both agree on one.",
		"Ask for a revision that the error's data lists.",
	}},
}

// serverError explains the codes from -32000 to -32099 that have no name of their own.
var serverError = meaning{
	"implementation-defined server error",
	"JSON-RPC leaves the codes from -32000 to -32099 to implementations. What this one means, only the server's documentation can say.",
	"No client can act on the code alone.",
	"Read its message and data.",
}

// applicationError explains negative codes outside the reserved range.
var applicationError = meaning{
	"an application's own error code",
	"JSON-RPC leaves the codes outside of -32768 to -32000 to applications. What this one means, only the server's documentation can say.",
	"No client can act on the code alone.",
	"Read its message and data.",
}

// applicationClose explains the close codes that have no meaning of their own (RFC 6455 section 7.4.2).
var applicationClose = meaning{
	"a library's or an application's own close code",
	"RFC 6455 leaves 4000 to 4999 to applications; 3000 to 3999 are registered by libraries and frameworks. What this one means, only the peer's documentation can say.",
	"Like any code but 1000 and 1001 it says that the path did not end as it should.",
	"Read its reason, and the peer's log.",
}

// reservedError explains the other codes of the reserved range.
var reservedError = meaning{
	"a reserved code without a name",
	"JSON-RPC reserves the codes from -32768 to -32000; this one has no meaning there.",
	"A later version may give it one.",
	"See `kind4 explain error-code`.",
}

// statusTerms explains the refusals of an upgrade.
var statusTerms = []headword{
	{"400", "", meaning{"a broken WebSocket key", "The request's Sec-WebSocket-Key is not 16 bytes in base64 (RFC 6455 section 4.2.1), or it was no HTTP at all.", "", ""}},
	{"403", "Origin", meaning{"a browser page is calling", "The request has an Origin, as only browsers send. kind4 serves no web pages' requests.", "", "A client that is no browser sends no Origin."}},
	{"404", "", meaning{"no such path, or no such channel", "The path does not exist, or its channel was not announced there, or its ask is over.", "", "Dial the channel that the ask named, once."}},
	{"405", "", meaning{"not a GET", "An upgrade is a GET.", "", ""}},
	{"409", "", meaning{"already open", "A second /requests while one is open, or a second opening of one channel.", "", "One connection each; close the first before the next."}},
	{"426", "", meaning{"not a WebSocket upgrade", "A plain HTTP request, or another version than 13.", "", "Dial with a WebSocket client, ws:// and not http://."}},
	{"431", "", meaning{"a head that is too long", "The request's head is longer than 64 KiB.", "", "Send fewer or shorter header fields."}},
	{"505", "", meaning{"another HTTP than 1.1", "The request is of HTTP/2, say, and a WebSocket is opened with HTTP/1.1 here.", "", "Dial without HTTP/2."}},
}

// closeTerms explains the close codes (RFC 6455 section 7.4.1 and the IANA registry).
var closeTerms = []headword{
	{"1000", "", meaning{"normal closure", "The path has done what it was for.", "", ""}},
	{"1001", "", meaning{"going away", "The peer is shutting down.", "", ""}},
	{"1002", "", meaning{"protocol error", "A peer broke the WebSocket rules. kind4 sends it then.", "", "See `kind4 explain broken-websocket`."}},
	{"1003", "", meaning{"unsupported data", "A peer got a kind of message that it cannot take, text for instance.", "", ""}},
	{"1005", "", meaning{"no code", "Never sent: it stands for a Close without a code, which is a clean close.", "", ""}},
	{"1006", "", meaning{"no Close at all", "Never sent: it stands for a connection that died.", "", ""}},
	{"1007", "", meaning{"invalid data", "A text message, or a close reason, that is not UTF-8.", "", ""}},
	{"1008", "", meaning{"policy violation", "A peer does not allow what it got.", "", ""}},
	{"1009", "", meaning{"message too big", "A message was larger than a peer takes.", "", "See `kind4 explain frame-too-large`."}},
	{"1010", "", meaning{"mandatory extension", "A client needs an extension that was not negotiated. This protocol needs none.", "", ""}},
	{"1011", "", meaning{"internal error", "The peer met a condition that it did not expect.", "", "Look at its log."}},
	{"1012", "", meaning{"service restart", "The peer is restarting.", "", ""}},
	{"1013", "", meaning{"try again later", "The peer is overloaded.", "", ""}},
	{"1014", "", meaning{"bad gateway", "A gateway got a bad answer from behind it.", "", ""}},
	{"1015", "", meaning{"TLS handshake", "Never sent: it stands for a TLS handshake that failed.", "", ""}},
}
