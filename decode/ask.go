package decode

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// AskKind is what an ask asks for: the fifth byte of a message on /requests.
type AskKind uint8

// The kinds that the Diverge Provider specification 2.3.0 defines (page /proxy/requests/).
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

	numKinds
)

// askKinds holds what each kind is called, the path that answers it, and how its payload splits.
var askKinds = [numKinds]struct {
	name, path string
	parts      []partRule
}{
	KindListTools:     {"list tools", "/mcp/list-tools/", []partRule{rest("params")}},
	KindListResources: {"list resources", "/mcp/list-resources/", []partRule{rest("params")}},
	KindCallTool:      {"call tool", "/mcp/call-tool/", []partRule{rest("params")}},
	KindReadResource:  {"read resource", "/mcp/read-resource/", []partRule{rest("params")}},
	KindNotifications: {"notifications", "/mcp/notifications/", nil},
	KindVaultGet:      {"vault get", "/vault/get/", []partRule{rest("key")}},
	KindVaultSet:      {"vault set", "/vault/set/", []partRule{counted("key"), rest("value")}},
	KindVaultDelete:   {"vault delete", "/vault/delete/", []partRule{rest("key")}},
	KindVaultLock:     {"vault lock", "/vault/lock/", []partRule{{"ttl", fixedPart}, rest("key")}},
	KindVaultUnlock:   {"vault unlock", "/vault/unlock/", []partRule{rest("key")}},
	KindCommand:       {"command", "/command/", []partRule{rest("payload")}},
	KindPostgres:      {"postgres", "/postgres/", nil},
	KindFuseRead:      {"fuse read", "/fuse/read/", []partRule{counted("id"), rest("path")}},
	KindFuseWrite:     {"fuse write", "/fuse/write/", []partRule{counted("id"), counted("path"), rest("bytes")}},
	KindFuseList:      {"fuse list", "/fuse/list/", []partRule{counted("id"), rest("path")}},
	KindFuseRemove:    {"fuse remove", "/fuse/remove/", []partRule{counted("id"), rest("path")}},
	KindFuseRename:    {"fuse rename", "/fuse/rename/", []partRule{counted("id"), counted("from"), rest("to")}},
	KindFuseMkdir:     {"fuse mkdir", "/fuse/mkdir/", []partRule{counted("id"), rest("path")}},
	KindFuseStat:      {"fuse stat", "/fuse/stat/", []partRule{counted("id"), rest("path")}},
}

// partRule says how one part of a payload is laid out.
type partRule struct {
	name   string
	layout partLayout
}

type partLayout uint8

const (
	restPart    partLayout = iota // all that is left
	countedPart                   // behind its length, an unsigned 16-bit integer
	fixedPart                     // an unsigned 32-bit integer
)

func rest(name string) partRule    { return partRule{name, restPart} }
func counted(name string) partRule { return partRule{name, countedPart} }

// Known reports whether the specification defines the kind.
func (k AskKind) Known() bool { return k < numKinds }

// String returns what the kind asks for, "vault get" for instance, and "kind 19" for one that is not known.
func (k AskKind) String() string {
	if !k.Known() {
		return "kind " + strconv.Itoa(int(k))
	}
	return askKinds[k].name
}

// Path returns the path on which an ask of this kind is answered, "/mcp/notifications/7" for instance, ""
// for a kind that is not known.
func (k AskKind) Path(channel uint32) string {
	if !k.Known() {
		return ""
	}
	return askKinds[k].path + strconv.FormatUint(uint64(channel), 10)
}

// askHeader is the length of an ask without its payload: channel and kind.
const askHeader = 5

// Part is one part of an ask's payload, Message[Start:End] of its ask; a length that stands before it is
// not in it.
type Part struct {
	// Name is "params", "key", "value", "ttl" (an unsigned 32-bit integer), "id", "path", "bytes", "from" or
	// "to"; "payload" for a command and for a kind that is not known, "ignored" for what stands behind an
	// ask whose payload is empty.
	Name       string
	Start, End int
	Cut        bool // the ask ends before the part does
}

// Ask is one ask: a message that the proxy sends on /requests.
type Ask struct {
	Message []byte
	Header  int    // how many of the five bytes of channel and kind are there: Channel stands from 4 on, Kind from 5
	Channel uint32 // on which path the answer is awaited
	Kind    AskKind
	Payload []byte // what stands behind the header, a view of Message
	Parts   []Part // of Payload, in order
}

// Decode reads one ask. Of an ask that breaks off it keeps what could be read, and returns a [*DecodeError]
// of code AskTruncated. A kind that is not known, and bytes behind an ask that carries none, are no errors.
func (a *Ask) Decode(message []byte) error {
	*a = Ask{Message: message, Header: min(len(message), askHeader), Parts: a.Parts[:0]}
	if len(message) >= 4 {
		a.Channel = binary.BigEndian.Uint32(message)
	}
	if len(message) < askHeader {
		text := fmt.Sprintf("an ask of %s: channel and kind alone take 5", count(len(message)))
		return &DecodeError{Code: AskTruncated, Offset: len(message), Message: text}
	}
	a.Kind = AskKind(message[4])
	a.Payload = message[askHeader:]
	return a.split()
}

// split divides the payload into its parts.
func (a *Ask) split() error {
	at := askHeader
	if !a.Kind.Known() {
		a.part("payload", at, len(a.Message))
		return nil
	}
	for _, rule := range askKinds[a.Kind].parts {
		next, err := a.read(rule, at)
		if err != nil {
			return err
		}
		at = next
	}
	if at < len(a.Message) {
		a.part("ignored", at, len(a.Message))
	}
	return nil
}

func (a *Ask) part(name string, start, end int) {
	a.Parts = append(a.Parts, Part{Name: name, Start: start, End: end})
}

// read reads one part at at and returns where the next begins.
func (a *Ask) read(rule partRule, at int) (int, error) {
	size := len(a.Message) - at
	switch rule.layout {
	case fixedPart:
		if size < 4 {
			return 0, a.cut(rule.name, at, at, fmt.Sprintf("%s takes 4 bytes, and %s left", rule.name, are(size)))
		}
		size = 4
	case countedPart:
		if size < 2 {
			return 0, a.cut(rule.name, at, at, fmt.Sprintf("the length of %s takes 2 bytes, and %s left", rule.name, are(size)))
		}
		length := int(binary.BigEndian.Uint16(a.Message[at:]))
		if size -= 2; length > size {
			return 0, a.cut(rule.name, at, at+2, fmt.Sprintf("%s is %s long by its length, and %s left", rule.name, count(length), are(size)))
		}
		at += 2
		size = length
	}
	a.part(rule.name, at, at+size)
	return at + size, nil
}

// cut notes a part that the ask ends before: its length stands at at, what there is of it at start.
func (a *Ask) cut(name string, at, start int, text string) error {
	a.Parts = append(a.Parts, Part{Name: name, Start: start, End: len(a.Message), Cut: true})
	return &DecodeError{Code: AskTruncated, Offset: at, Message: text}
}

// Raw returns the bytes of a part.
func (a *Ask) Raw(p Part) []byte { return a.Message[p.Start:p.End] }

// Append appends the ask: channel, kind and payload.
func (a *Ask) Append(dst []byte) []byte { return AppendAsk(dst, a.Channel, a.Kind, a.Payload) }

// AppendAsk appends an ask, its integers big-endian; the payload as it is, whether it suits the kind or not.
func AppendAsk(dst []byte, channel uint32, kind AskKind, payload []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, channel)
	return append(append(dst, byte(kind)), payload...)
}

func count(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return strconv.Itoa(n) + " are"
}
