package cmd

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"kind4/decode/session"
	"kind4/render"
)

// A good frame of a token seen before allocates nothing on its whole road: decoded, inspected, judged, rendered, written.
func TestRoadAllocations(t *testing.T) {
	for _, form := range []render.Form{render.JSON, render.Line, render.Pretty, render.Hex, render.Raw, render.LP32, render.Payload} {
		v := newView(&showOptions{form: form, color: "never"}, &environment{out: io.Discard, err: io.Discard}, newStatus(io.Discard, true))
		p := newPipelineOf(v, nil, 1)
		j := newJob(false)
		n := 0
		carry := func() {
			b := session.NewBatch()
			for k := range 64 {
				at := len(b.Buf)
				switch n++; k % 4 {
				case 0:
					b.Buf = append(b.Buf, "\x00"+`{"method":"notifications/progress","params":{"progressToken":"up","message":"näher","progress":`...)
					b.Buf = append(strconv.AppendInt(b.Buf, int64(n), 10), "}}"...)
				case 1:
					b.Buf = append(b.Buf, "\x00"+`{"method":"notifications/message","params":{"level":"info","logger":"db","data":{"rows":4,"tags":["a"]}}}`...)
				case 2:
					b.Buf = append(b.Buf, "\x00"+`{"method":"acme/warm","params":{"hits":3}}`...)
				case 3:
					b.Buf = append(b.Buf, "\x00"+`{"method":"notifications/resources/updated","params":{"uri":"file:///etc/motd"}}`...)
				}
				b.Events = append(b.Events, session.Event{Kind: session.Message, Time: int64(n) * 100_000, Path: onePath, Opcode: session.OpBinary,
					Fragments: 1, Data: b.Buf[at:], Size: int64(len(b.Buf) - at)})
			}
			j.add(b)
			j.number, j.hasSource = p.jobs, true
			p.jobs++
			p.source.Lock()
			p.carry(j)
		}
		for range 4 {
			carry()
		}
		// One a frame would be 64; a pool that a collection empties, or the race detector, costs a few.
		if allocs := testing.AllocsPerRun(50, carry); allocs > 20 {
			t.Errorf("form %d: %v allocations for 64 messages", form, allocs)
		}
		if v.seq < 64*50 || v.counts.messages() != v.seq {
			t.Errorf("form %d: %d messages", form, v.seq)
		}
	}
}

// BenchmarkPipeline measures the road of a job's messages on one worker and on as many as the cores are for.
func BenchmarkPipeline(b *testing.B) {
	var list []*session.Batch
	for range 64 {
		batch := new(session.Batch)
		for k := range 350 {
			message := fmt.Appendf(nil, "\x00"+`{"method":"notifications/message","params":{"level":"info","logger":"db.pool","data":{"rows":%d,"ms":1.25,"query":"select id, name from users where name = 'zoë'","tags":["a","b"]}}}`, k)
			batch.Buf = append(batch.Buf, message...)
			batch.Events = append(batch.Events, session.Event{Kind: session.Message, Path: onePath, Opcode: session.OpBinary, Data: message, Size: int64(len(message))})
		}
		list = append(list, batch)
	}
	for _, workers := range []int{1, 3} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				v := newView(&showOptions{form: render.JSON, color: "never"}, &environment{out: io.Discard, err: io.Discard}, newStatus(io.Discard, true))
				next := 0
				p := newPipelineOf(v, func(j *job) (bool, error) {
					if next == len(list) {
						return false, io.EOF
					}
					source := list[next]
					batch := session.NewBatch()
					batch.Events, batch.Buf = append(batch.Events, source.Events...), append(batch.Buf, source.Buf...)
					j.add(batch)
					next++
					return true, nil
				}, workers)
				if err := p.run(); err != io.EOF {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(list) * len(list[0].Buf)))
			}
		})
	}
}

// A job keeps its memory for the next one, unless it held a large message; room that its batches had to spare is theirs.
func TestJobKeepsItsMemory(t *testing.T) {
	for size, kept := range map[int]bool{100: true, shareBytes / 2: true, shareBytes + 1: false} {
		v := newView(&showOptions{form: render.JSON, color: "never"}, &environment{out: io.Discard, err: io.Discard}, newStatus(io.Discard, true))
		p := newPipelineOf(v, nil, 1)
		j := newJob(false)
		message := append(make([]byte, 0, 2*shareBytes), "\x00"+`{"method":"`+strings.Repeat("m", size)+`"}`...)
		j.add(&session.Batch{Buf: message, Events: []session.Event{{Kind: session.Message, Path: onePath, Opcode: session.OpBinary, Data: message,
			Size: int64(len(message))}}})
		j.number, j.hasSource = p.jobs, true
		p.source.Lock()
		p.carry(j)
		if got := j.frames != nil; got != kept || v.seq != 1 {
			t.Errorf("a message of %d bytes: memory kept %v, want %v", size, got, kept)
		}
	}
}
