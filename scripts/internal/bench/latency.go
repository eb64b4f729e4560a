package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const pace = time.Millisecond // between two messages

// benchLatency sends 1,000 messages a second to each in turn, and takes the time from before a message is sent to when its
// line is read from the pipe that the program writes to.
func benchLatency(b *bench) ([]line, error) {
	count := 3_000
	if b.quick {
		count = 300
	}
	l := []line{
		{work: "latency at 1,000/s, p50", goal: atMost(1.15, "")},
		{work: "latency at 1,000/s, p99", goal: atMost(3, "")},
	}
	for i := range l {
		l[i].ours, l[i].peer = series{unit: "µs"}, series{name: "plain TCP reader", unit: "µs"}
	}
	for range b.rounds {
		ours, err := b.latencies(b.startKind4, count)
		if err != nil {
			return nil, err
		}
		theirs, err := b.latencies(b.startPlain, count)
		if err != nil {
			return nil, err
		}
		for i, percent := range []int{50, 99} {
			l[i].ours.add(quantile(ours, percent))
			l[i].peer.add(quantile(theirs, percent))
		}
	}
	for i := range l {
		l[i].compared = ratios(l[i].ours.values, l[i].peer.values)
	}
	return l, nil
}

// quantile is the value that so many percent of the sorted ones do not exceed.
func quantile(sorted []float64, percent int) float64 {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// latencies returns how long each message took, in µs, sorted.
func (b *bench) latencies(start func(*os.File) (*stream, error), count int) ([]float64, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, err := start(w)
	w.Close()
	if err != nil {
		return nil, err
	}
	clock := time.Now() // the stamps are nanoseconds since
	got := make(chan arrivals, 1)
	go func() { got <- arrive(r, clock) }()
	if err := s.sendPaced(clock, count); err != nil {
		return nil, s.fail(err)
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	a := <-got
	if a.err == nil && len(a.took) != count {
		a.err = fmt.Errorf("%s wrote %d lines of %d messages", s.cmd.Args[0], len(a.took), count)
	}
	slices.Sort(a.took)
	return a.took, a.err
}

// sendPaced sends messages of 200 bytes that say when they were sent.
func (s *stream) sendPaced(clock time.Time, count int) error {
	rng := rand.New(rand.NewPCG(3, 4))
	var message, frame []byte
	due := time.Now()
	for range count {
		time.Sleep(time.Until(due))
		due = due.Add(pace)
		message = appendStamped(message[:0], time.Since(clock))
		frame = frames(frame[:0], message, true, rng)
		if _, err := s.conn.Write(frame); err != nil {
			return err
		}
	}
	return nil
}

const stampKey, stampDigits = `"sent":"`, 16

func appendStamped(dst []byte, at time.Duration) []byte {
	const size = 200
	start := len(dst)
	dst = fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{`+
		stampKey+`%0*x","text":"`, stampDigits, int64(at))
	const end = `"}}}`
	dst = append(dst, strings.Repeat("x", size-(len(dst)-start)-len(end))...)
	return append(dst, end...)
}

// arrivals are how long messages took, in µs.
type arrivals struct {
	took []float64
	err  error
}

// arrive reads lines until the pipe ends. Lines that one read ends have come at the same time.
func arrive(r *os.File, clock time.Time) (a arrivals) {
	r.Fd() // makes reads block: the scheduler's poller would be a part of the time
	buf := make([]byte, 0, 1<<20)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		now := time.Since(clock)
		if err != nil {
			return a
		}
		buf = buf[:len(buf)+n]
		end := bytes.LastIndexByte(buf, '\n') + 1
		if end == 0 && len(buf) == cap(buf) {
			a.err, end = fmt.Errorf("a line of more than %d bytes", cap(buf)), len(buf)
		}
		for text := range bytes.Lines(buf[:end]) {
			sent, err := stampOf(text)
			if a.err = errors.Join(a.err, err); a.err != nil {
				break
			}
			a.took = append(a.took, float64((now-sent).Nanoseconds())/1e3)
		}
		buf = buf[:copy(buf, buf[end:])]
	}
}

// stampOf is when the message of a line was sent.
func stampOf(text []byte) (time.Duration, error) {
	_, rest, found := bytes.Cut(text, []byte(stampKey))
	if !found || len(rest) < stampDigits {
		return 0, fmt.Errorf("a line without a stamp: %q", text)
	}
	at, err := strconv.ParseInt(string(rest[:stampDigits]), 16, 64)
	return time.Duration(at), err
}
