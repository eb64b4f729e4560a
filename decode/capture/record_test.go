package capture

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kind4/decode"
	"kind4/decode/session"
)

// readEvents reads every event, with data of its own.
func readEvents(src io.Reader, o Options) ([]session.Event, error) {
	r := NewReader(src, o)
	var events []session.Event
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for _, ev := range b.Events {
			ev.Data = bytes.Clone(ev.Data)
			events = append(events, ev)
		}
		b.Release()
		if err != nil {
			return events, err
		}
	}
}

func readRecord(record string) ([]session.Event, error) {
	return readEvents(strings.NewReader(record), Options{Name: "a.rec"})
}

func writeRecord(t testing.TB, events []session.Event) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	w.Secrets = true
	w.Begin()
	for i := range events {
		w.Write(&events[i])
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// sameEvents compares; no data and data of no bytes are the same.
func sameEvents(t *testing.T, got, want []session.Event) {
	t.Helper()
	same := func(a, b session.Event) bool {
		equal := bytes.Equal(a.Data, b.Data)
		a.Data, b.Data = nil, nil
		return equal && reflect.DeepEqual(a, b)
	}
	if slices.EqualFunc(got, want, same) {
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
}

// maker makes events of everything that an event can hold.
type maker struct{ *rand.Rand }

func (m maker) text() string {
	texts := []string{"", "a", "/mcp/notifications/2", "größe", "\x00\x1b[31m\"\\/\n\t\r", "\u202e\u2028\U000e0001\x7f\u009b", "\xff\xfe", "\ufffd", "Host: a\nX: b\n"}
	return texts[m.IntN(len(texts))]
}

func (m maker) number(most int64) int64 {
	return []int64{0, 1, most, m.Int64N(most)}[m.IntN(4)]
}

func (m maker) data() []byte {
	data := make([]byte, []int{0, 1, 2, 3, 63, 64, 65, 125, 126, 70_000}[m.IntN(10)])
	for i := range data {
		data[i] = byte(m.Uint32())
	}
	return data
}

func (m maker) end() *session.End {
	e := &session.End{
		Kind: session.EndKind(1 + m.IntN(int(session.EndOurs))), Code: uint16(m.number(math.MaxUint16)), Reason: m.text(), Error: m.text(),
		Where: session.Where(m.IntN(4)), Partial: m.number(math.MaxInt64), Sent: uint16(m.number(math.MaxUint16)),
		Outcome: session.Outcome(m.IntN(int(session.Ended) + 1)), Messages: uint64(m.number(math.MaxInt64)),
	}
	if e.Kind == session.EndBroken {
		e.Violation = &session.Violation{Section: m.text(), Offset: m.number(math.MaxInt64), Message: m.text()}
	}
	return e
}

func (m maker) verdict() *session.Verdict {
	v := &session.Verdict{Type: decode.Type(m.IntN(int(decode.TypeOversize) + 1)), Tag: decode.Tag(m.IntN(256)),
		Offset: int(m.number(math.MaxInt32)), Text: m.text(), Repeats: m.IntN(2) == 0, ErrorCode: int32(m.IntN(3) - 1)}
	for range m.IntN(3) {
		v.Said = append(v.Said, session.Said{Code: decode.LoneSurrogate, Severity: decode.Severity(1 + m.IntN(3)), Offset: m.IntN(3) - 1, Text: m.text()})
	}
	if v.Type == 0 || m.IntN(2) == 0 {
		v.Code = decode.UnknownTag
	}
	return v
}

func (m maker) event() session.Event {
	ev := session.Event{
		Kind: session.Kind(1 + m.IntN(int(session.Begun))), Time: m.number(math.MaxInt64), Path: m.text(), FromKind4: m.IntN(2) == 0,
		Opcode: uint8(m.IntN(16)), Fragments: m.IntN(3), MaxFrame: m.number(math.MaxInt64), Remote: m.text(), Proxy: m.text(), Header: m.text(),
		Method: m.text(), Status: m.IntN(1000), Reason: m.text(), Withheld: m.IntN(2) == 0,
	}
	if ev.HasChannel = m.IntN(2) == 0; ev.HasChannel {
		ev.Channel = uint32(m.number(math.MaxUint32))
	}
	switch ev.Kind {
	case session.Begun:
		return session.Event{Kind: session.Begun}
	case session.Message, session.Asked, session.Control:
		ev.Data = m.data()
		ev.Size = int64(len(ev.Data)) + m.number(1000)
		if ev.Withheld {
			ev.Verdict = m.verdict()
		}
	case session.Closed:
		ev.End = m.end()
	case session.Note:
		ev.Note = session.NoteKind(1 + m.IntN(int(session.NoteTorn)))
		if m.IntN(2) == 0 {
			ev.End = m.end()
		}
	}
	return ev
}

func TestRecordHoldsEverything(t *testing.T) {
	for seed := range uint64(40) {
		m := maker{rand.New(rand.NewPCG(seed, 4))}
		events := make([]session.Event, 1+m.IntN(60))
		for i := range events {
			events[i] = m.event()
		}
		record := writeRecord(t, events)
		if i := strings.IndexFunc(record, func(r rune) bool {
			return r != '\n' && (r < ' ' || r == 0x7f || r == 0x9b || r == 0x2028 || r == 0x202e)
		}); i >= 0 {
			t.Fatalf("a raw control character: %q", record[i:i+4])
		}
		for _, src := range []io.Reader{strings.NewReader(record), iotest.HalfReader(strings.NewReader(record))} {
			got, err := readEvents(src, Options{})
			if err != io.EOF {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sameEvents(t, got, events)
		}
	}
}

// short is a record of two messages.
const short = headerLine +
	`{"time":1,"event":"opened","path":"/mcp/notifications/2","channel":2}` + "\n" +
	`{"time":2,"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,"fragments":1,"size":3,"data":"AHt9"}` + "\n" +
	`{"time":3,"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,"fragments":1,"size":1,"data":"AQ=="}` + "\n"

func TestRecordCutAnywhereReads(t *testing.T) {
	whole, err := readRecord(short)
	if err != io.EOF || len(whole) != 3 {
		t.Fatal(whole, err)
	}
	for n := len(headerLine); n < len(short); n++ {
		lines := strings.Count(short[:n], "\n") - 1
		ended := strings.HasSuffix(short[:n], "\n") || short[n] == '\n'
		if short[n] == '\n' {
			lines++
		}
		got, err := readRecord(short[:n])
		if err != io.EOF {
			t.Fatalf("cut at %d: %v", n, err)
		}
		want := slices.Clone(whole[:lines])
		if !ended {
			if last := got[len(got)-1]; last.Note != session.NoteTorn || !strings.Contains(last.Reason, "a.rec") {
				t.Errorf("cut at %d: %+v", n, last)
			}
			got = got[:len(got)-1]
		}
		sameEvents(t, got, want)
	}
}

func TestRecordAppendedBehindATornLine(t *testing.T) {
	got, err := readRecord(short[:len(short)-10] + "\n" + short)
	if err != io.EOF || len(got) != 2+1+1+3 || got[2].Note != session.NoteTorn || got[3].Kind != session.Begun {
		t.Errorf("%+v, %v", got, err)
	}
	if want := "line 5 of a.rec: line 4 ends inside an event, and another session begins behind it"; got[2].Reason != want {
		t.Errorf("%q, want %q", got[2].Reason, want)
	}
}

// TestRecordOfASecretAskKeepsItsVerdict holds that of an ask whose payload is left out is kept how it breaks off.
func TestRecordOfASecretAskKeepsItsVerdict(t *testing.T) {
	ask := []byte("\x00\x00\x00\x03\x0c\x00\xffgeheim")
	var record strings.Builder
	w := NewWriter(&record)
	w.Write(&session.Event{Kind: session.Asked, Data: ask, Size: int64(len(ask))})
	w.Write(&session.Event{Kind: session.Asked, Data: ask[:5], Size: int64(len(ask)), Withheld: true})
	w.Flush()
	got, err := readRecord(record.String())
	if err != io.EOF || len(got) != 2 || got[0].Verdict == nil || got[1].Verdict != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	want := session.Verdict{Code: decode.AskTruncated, Offset: 5, Text: "id is 255 bytes long by its length, and 6 are left"}
	if !reflect.DeepEqual(*got[0].Verdict, want) || !got[0].Withheld || len(got[0].Data) != 5 {
		t.Errorf("%+v, %+v", got[0], got[0].Verdict)
	}
}

func TestRecordFaults(t *testing.T) {
	const opened = `{"time":1,"event":"opened","path":"/requests"}` + "\n"
	for line, want := range map[string]string{
		`nonsense`:                                     `no object: "nonsense"`,
		`[1]`:                                          `no object: "[1]"`,
		`{"time":1}`:                                   `an object without the member "event"`,
		`{"time":"1","event":"opened"}`:                `"time" is "\"1\"", where an integer is needed`,
		`{"time":1.5,"event":"opened"}`:                `"time" is "1.5", where an integer is needed`,
		`{"time":1,"event":"opened"`:                   `no JSON here: ""`,
		`{"time":1,"event":"opened"} x`:                `something behind the event: " x"`,
		`{"event":"message","data":"A"}`:               `"data" is "\"A\"", where base64 is needed`,
		`{"event":"message","size":-1}`:                `"size" is "-1", where an integer from 0 to 9223372036854775807 is needed`,
		`{"event":"opened","channel":1e2}`:             `"channel" is "1e2", where an integer is needed`,
		`{"event":"closed"}`:                           `a path is closed, and the member "end" is missing`,
		`{"event":"closed","end":1}`:                   `"end" is "1", where an object is needed`,
		`{"event":"closed","end":{}}`:                  `an end without the member "ending"`,
		`{"event":"note"}`:                             `a note without the member "note"`,
		`{"event":"message","verdict":1}`:              `"verdict" is "1", where an object is needed`,
		`{"event":"message","verdict":{"tag":256}}`:    `"tag" is "256", where an integer from 0 to 255 is needed`,
		`{"event":"message","verdict":{"findings":1}}`: `"findings" is "1", where an array is needed`,
		`{"kind4_record":"2.0"}`:                       `a record of version 2, and this kind4 reads version 1`,
		`{"kind4_record":"x"}`:                         `a record of no version: "\"x\""`,
		`{"event":"closed","end":{"ending":"broken"}}`: `a broken end without the member "violation"`,
	} {
		got, err := readRecord(headerLine + opened + line + "\n" + opened)
		var e *Error
		if !errors.As(err, &e) || e.Line != 3 || e.Message != want || len(got) != 1 {
			t.Errorf("%s: %v with %d events, want %q", line, err, len(got), want)
		}
	}
}

func TestRecordPassesOverWhatItDoesNotKnow(t *testing.T) {
	const rest = `{"time":1,"event":"thought","path":7,"end":[{"a":"b"}]}` + "\n" +
		`{"time":1,"event":"note","note":"later"}` + "\n" +
		`{"time":1,"event":"closed","end":{"ending":"later"}}` + "\n\n" +
		`{"more":[{"data":"x"}],"event":"pass\u0065d"}` + "\n" +
		"\t" + `{ "event" : "c\u006fntrol", "more" : {"a":[1,2]}, "opcode" : 9, "data" : "YQ\u003d=", "time" : 5 }` + "\r\n"
	got, err := readRecord(`{"kind4_record":"1.7","by":"another"}` + "\n" + rest)
	if err != io.EOF {
		t.Fatal(err)
	}
	sameEvents(t, got, []session.Event{{Kind: session.Control, Opcode: 9, Data: []byte("a"), Time: 5}})
}

func TestRecordWithoutItsHeader(t *testing.T) {
	if got, err := readRecord(short[len(headerLine):]); err != io.EOF || len(got) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordCutsLongMessages(t *testing.T) {
	long := session.Event{Kind: session.Message, Opcode: session.OpBinary, Fragments: 1, Data: bytes.Repeat([]byte("ab"), 2<<20), Size: 4 << 20}
	next := session.Event{Kind: session.Message, Opcode: session.OpBinary, Data: []byte("next"), Size: 4}
	record := writeRecord(t, []session.Event{long, next})
	long.Data = long.Data[:headSize]
	for _, limit := range []int64{100, 1 << 20, 4<<20 - 1} {
		got, err := readEvents(strings.NewReader(record), Options{MaxSize: limit})
		if err != io.EOF {
			t.Fatal(err)
		}
		sameEvents(t, got, []session.Event{long, next})
	}
	got, err := readEvents(strings.NewReader(record[:len(record)/2]), Options{MaxSize: 100})
	if err != io.EOF || len(got) != 1 || got[0].Note != session.NoteTorn {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordKeepsNoSecretsOfAsks(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	for kind := range byte(20) {
		ask := append([]byte{0, 0, 0, 1, kind}, "secret"...)
		w.Write(&session.Event{Kind: session.Asked, Data: ask, Size: int64(len(ask))})
	}
	w.Flush()
	got, err := readEvents(&out, Options{})
	if err != io.EOF || len(got) != 20 {
		t.Fatal(len(got), err)
	}
	for kind, ev := range got {
		secret := kind > 4
		if ev.Withheld != secret || ev.Size != 11 || (len(ev.Data) == 5) != secret {
			t.Errorf("kind %d: %+v", kind, ev)
		}
	}
}

func TestRecordOfAsks(t *testing.T) {
	record := short + `{"time":3,"event":"asked","size":5,"data":"AAAAAgQ="}` + "\n"
	got, err := readEvents(strings.NewReader(record), Options{Asks: true})
	if err != io.EOF || len(got) != 1 || got[0].Kind != session.Message || string(got[0].Data) != "\x00\x00\x00\x02\x04" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestContinue(t *testing.T) {
	for record, want := range map[string]string{
		short:                             "false",
		short[:len(short)-3]:              "true",
		short[len(headerLine):]:           "false",
		headerLine:                        "false",
		"hello, this is something else\n": errNoRecord.Error(),
		`{"kind4_record":"2.0"}` + "\n":   "it is a record of another version",
	} {
		unterminated, err := Continue(strings.NewReader(record))
		got := map[bool]string{false: "false", true: "true"}[unterminated]
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.40q: %s, want %s", record, got, want)
		}
	}
}

type failing struct{ writes int }

func (f *failing) Write(p []byte) (int, error) { f.writes++; return 0, io.ErrShortWrite }

func TestWriterFailsForGood(t *testing.T) {
	var sink failing
	w := NewWriter(&sink)
	w.Begin()
	for range 3 {
		if err := w.Flush(); err != io.ErrShortWrite {
			t.Error(err)
		}
		if err := w.Write(&session.Event{Kind: session.Opened}); err != io.ErrShortWrite {
			t.Error(err)
		}
	}
	if sink.writes != 1 {
		t.Errorf("%d writes", sink.writes)
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	w := NewWriter(io.Discard)
	ev := session.Event{Kind: session.Message, Path: "/mcp/notifications/2", Channel: 2, HasChannel: true, Time: 1,
		Opcode: session.OpBinary, Fragments: 1, Data: make([]byte, 200), Size: 200}
	for range 1000 {
		w.Write(&ev)
	}
	if n := testing.AllocsPerRun(1000, func() { w.Write(&ev) }); n > 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// FuzzRecord reads any input as a record: no panic, the same however it is handed out, and what was read
// comes back from what is written of it.
func FuzzRecord(f *testing.F) {
	f.Fuzz(func(t *testing.T, input string) {
		o := Options{Format: Record, Name: "a.rec", MaxSize: fuzzCap}
		whole, err := readEvents(strings.NewReader(input), o)
		split, splitErr := readEvents(iotest.OneByteReader(strings.NewReader(input)), o)
		if err.Error() != splitErr.Error() {
			t.Errorf("%v, byte by byte %v", err, splitErr)
		}
		sameEvents(t, split, whole)
		again, err := readRecord(writeRecord(t, whole))
		if err != io.EOF {
			t.Fatal(err)
		}
		sameEvents(t, again, whole)
	})
}

func BenchmarkRecord(b *testing.B) {
	var events []session.Event
	for i := range 1000 {
		events = append(events, session.Event{Kind: session.Message, Path: "/mcp/notifications/2", Channel: 2, HasChannel: true,
			Time: 1_700_000_000_000_000 + int64(i), Opcode: session.OpBinary, Fragments: 1, MaxFrame: 200, Data: make([]byte, 200), Size: 200})
	}
	record := writeRecord(b, events)
	b.Run("write", func(b *testing.B) {
		b.SetBytes(200)
		w := NewWriter(io.Discard)
		for i := 0; b.Loop(); i++ {
			w.Write(&events[i%1000])
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(record)))
		for b.Loop() {
			r := NewReader(strings.NewReader(record), Options{})
			for err := error(nil); err == nil; {
				batch := session.NewBatch()
				err = r.Next(batch)
				batch.Release()
			}
		}
	})
}

// TestPageDescribesTheRecord holds the manual to the members, kinds, notes and endings that there are.
func TestPageDescribesTheRecord(t *testing.T) {
	page, err := os.ReadFile("../../man/kind4-capture.5")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?:Va|Cm|,) ([a-z0-9_-]+)`).FindAllStringSubmatch(string(page), -1) {
		words[match[1]] = true
	}
	record := writeRecord(t, everyEvent())
	for _, match := range regexp.MustCompile(`"([a-z0-9_]+)":(?:"([a-z-]+)")?`).FindAllStringSubmatch(record, -1) {
		name := strings.TrimSuffix(match[1], base64Suffix)
		if !words[name] || slices.Contains([]string{memberEvent, memberNote, memberEnding, memberInside}, name) && !words[match[2]] {
			t.Errorf("the page lacks %s", match[0])
		}
	}
}

// everyEvent is an event of every kind, with every note, ending and place.
func everyEvent() []session.Event {
	var events []session.Event
	add := func(ev session.Event) {
		ev.Time, ev.Path, ev.Channel, ev.HasChannel, ev.FromKind4, ev.Opcode, ev.Fragments, ev.MaxFrame = 1, "/a", 2, true, true, 2, 1, 1
		ev.Size, ev.Withheld, ev.Remote, ev.Proxy, ev.Header, ev.Method, ev.Status, ev.Reason, ev.Data = 9, true, "a:1", "b:1", "a: b\n", "GET", 404, "\xff", []byte("x")
		events = append(events, ev)
	}
	for kind := session.Opened; kind < session.Note; kind++ {
		add(session.Event{Kind: kind, End: &session.End{Kind: session.EndClose}})
	}
	for note := session.NoteTLS; note.String() != ""; note++ {
		add(session.Event{Kind: session.Note, Note: note})
	}
	for ending := session.EndClose; ending.String() != ""; ending++ {
		for where := session.Where(0); where == 0 || where.String() != ""; where++ {
			add(session.Event{Kind: session.Closed, End: &session.End{Kind: ending, Code: 1000, Reason: "r", Error: "e", Where: where, Partial: 1,
				Violation: &session.Violation{Section: "5.2", Offset: 1, Message: "m"}, Sent: 1000, Outcome: session.Died, Messages: 1}})
		}
	}
	return append(events, session.Event{Kind: session.Begun})
}
