package decode

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
