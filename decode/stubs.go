package decode

// SetText makes f a WebSocket text message, shown and not decoded.
func (f *Frame) SetText(message []byte) { panic("unwritten") }

// SetOversize makes f a message longer than the cap, of which only head is here.
func (f *Frame) SetOversize(head []byte, size int64) { panic("unwritten") }

// AppendMethod appends the method's text, unescaped.
func (f *Frame) AppendMethod(dst []byte) []byte { panic("unwritten") }

// MethodIs reports whether the method's text is name.
func (f *Frame) MethodIs(name string) bool { panic("unwritten") }

// Body returns all after the tag.
func (f *Frame) Body() []byte { panic("unwritten") }

// Raw returns v's bytes.
func (f *Frame) Raw(v Value) []byte { panic("unwritten") }

// JSONBody returns where the body's JSON stands.
func (f *Frame) JSONBody() (v Value, ok bool) { panic("unwritten") }

// Depth returns how deep the body nests.
func (f *Frame) Depth() int { panic("unwritten") }

// AppendMessage appends a message: tag and body.
func AppendMessage(dst []byte, tag Tag, body []byte) []byte { panic("unwritten") }

// AskKind is what an ask asks for.
type AskKind uint8

// The kinds of ask.
const (
	KindListTools AskKind = iota
	KindListResources
	KindCallTool
	KindReadResource
	KindNotifications
	KindVaultGet
	KindVaultSet
	KindVaultDelete
	KindVaultLock
	KindVaultUnlock
	KindCommand
	KindPostgres
	KindFuseRead
	KindFuseWrite
	KindFuseList
	KindFuseRemove
	KindFuseRename
	KindFuseMkdir
	KindFuseStat
)

// String returns the kind's words, "vault get" for instance; "kind 19" where it has none.
func (k AskKind) String() string { panic("unwritten") }

// Path returns the path that answers an ask of that kind on channel; "" where it has none.
func (k AskKind) Path(channel uint32) string { panic("unwritten") }

// Part is one part of an ask's payload.
type Part struct {
	Name       string // "key", "value", "ttl", "id", "path", "bytes", "from", "to", "params", "payload"
	Start, End int    // within the ask's message
}

// Ask is one ask of /requests.
type Ask struct {
	Message []byte
	Channel uint32
	Kind    AskKind
	Payload []byte
	Parts   []Part
}

// Decode reads one ask.
func (a *Ask) Decode(message []byte) error { panic("unwritten") }

// Append appends the ask's bytes.
func (a *Ask) Append(dst []byte) []byte { panic("unwritten") }

// AppendAsk appends an ask's bytes.
func AppendAsk(dst []byte, channel uint32, kind AskKind, payload []byte) []byte { panic("unwritten") }

// ErrorName returns what a JSON-RPC error code is called, "" when it has no name.
func ErrorName(code int32) string { panic("unwritten") }

// KnownMethod is a method that the receiver has a type for.
type KnownMethod struct {
	Name    string // "notifications/progress"
	Variant Variant
	Members []KnownMember
}

// KnownMember is a member of params that the receiver reads.
type KnownMember struct {
	Name     string
	Member   Member
	Required bool
	Need     string // "a string or an integer"
}

// KnownMethods returns the methods that the receiver types, in the order in which it tries them.
func KnownMethods() []KnownMethod { panic("unwritten") }
