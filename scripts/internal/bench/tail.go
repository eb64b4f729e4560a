package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// receiver is what takes the stream.
type receiver struct {
	start func(out *os.File) (*stream, error)
	wire  []byte // what it is sent
	count int    // of messages in it
}

// benchTail sends to each in turn, as fast as it takes them, and counts what came out.
func benchTail(b *bench) ([]line, error) {
	many, few := 1_000_000, 200_000 // wscat would take minutes for many
	if b.quick {
		many, few = 5_000, 1_000
	}
	masked, plain := wires(many, few)
	ours := receiver{b.startKind4, masked, many}
	limit := receiver{b.startPlain, masked, many}
	wscat := receiver{b.startWscat, plain, few}
	const unit = "k msg/s"
	l := []line{
		{work: "tail -o json", goal: atLeast(12), peer: series{name: "wscat", unit: unit},
			notes: []string{"kind4 listens and unmasks; wscat dials (as a listener it takes every interface) and gets no masks",
				fmt.Sprintf("nothing lost: %d messages to kind4 and the plain reader, %d to wscat, each counted", many, few)}},
		{work: "tail -o json", goal: atLeast(0.4), peer: series{name: "plain TCP reader", unit: unit}},
	}
	installed := b.find("wscat") != nil
	rates := series{unit: unit}
	for range b.rounds {
		if err := b.receive(ours, &rates); err != nil {
			return nil, err
		}
		if err := b.receive(limit, &l[1].peer); err != nil {
			return nil, err
		}
		if installed {
			if err := b.receive(wscat, &l[0].peer); err != nil {
				return nil, err
			}
		}
	}
	for i := range l {
		l[i].ours, l[i].compared = rates, ratios(rates.values, l[i].peer.values)
	}
	return l, nil
}

// wires are the same messages with masks, and the first of them without.
func wires(many, few int) (masked, plain []byte) {
	made, rng := newMessages(), rand.New(rand.NewPCG(1, 2))
	var message []byte
	for i := range many {
		message = made.appendNext(message[:0])
		masked = frames(masked, message, true, rng)
		if i < few {
			plain = frames(plain, message, false, nil)
		}
	}
	return masked, plain
}

// receive sends everything to a receiver that writes into a file, and adds how many thousand messages a second it took
// from the first byte to the program's end.
func (b *bench) receive(r receiver, rates *series) error {
	out, err := os.Create(b.file("received"))
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	s, err := r.start(out)
	if err != nil {
		return err
	}
	start := time.Now()
	if _, err := s.conn.Write(r.wire); err != nil {
		return s.fail(err)
	}
	if err := s.finish(); err != nil {
		return err
	}
	took := time.Since(start)
	lines, err := countLines(out.Name())
	if err == nil && lines != r.count {
		err = fmt.Errorf("%s wrote %d lines of %d messages", s.cmd.Args[0], lines, r.count)
	}
	rates.add(float64(r.count) / 1e3 / took.Seconds())
	return err
}
