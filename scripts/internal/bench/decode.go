package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"time"
)

// decoding is one output form of `kind4 decode` beside a peer that does the like.
type decoding struct {
	form  string
	peer  []string // its command without the file; nil where it is not installed
	name  string   // of the peer, as the table shows it
	plain bool     // the peer reads JSON lines, not what kind4 reads
	goal  goal
}

func benchJSON(b *bench) ([]line, error) {
	return b.decodings(decoding{"json", b.find("jq", "-c", "."), "jq -c .", true, atLeast(15)})
}

func benchPretty(b *bench) ([]line, error) {
	return b.decodings(decoding{"pretty", b.find("jq", "."), "jq .", true, atLeast(15)})
}

func benchLine(b *bench) ([]line, error) {
	return b.decodings(decoding{"line", b.find("jq", "-c", "."), "jq -c .", true, atLeast(15)})
}

func benchHex(b *bench) ([]line, error) {
	return b.decodings(
		decoding{"hex", b.find("xxd"), "xxd", false, atLeast(5)},
		decoding{"hex", b.find("hexyl", "--color=never"), "hexyl", false, atLeast(15)})
}

func (b *bench) decodings(all ...decoding) (lines []line, err error) {
	for _, d := range all {
		l, err := b.decoding(d)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// decoding runs both in turn, after one run of each that counts for nothing.
func (b *bench) decoding(d decoding) (line, error) {
	c, err := b.corpus()
	if err != nil {
		return line{}, err
	}
	amount, unit, file := float64(c.bytes)/1e6, "MB/s", c.lp32
	if d.plain {
		amount, unit, file = float64(c.count)/1e3, "k msg/s", c.json
	}
	l := line{work: "decode -o " + d.form, goal: d.goal, ours: series{unit: unit}, peer: series{name: d.name, unit: unit}}
	for i := -1; i < b.rounds; i++ {
		ours, err := b.timed(nil, b.decode(d.form, c.lp32)...)
		if err != nil {
			return l, err
		}
		var theirs time.Duration
		if d.peer != nil {
			if theirs, err = b.timed(nil, append(d.peer, file)...); err != nil {
				return l, err
			}
		}
		if i >= 0 {
			l.ours.add(amount / ours.Seconds())
			l.peer.addIf(d.peer != nil, amount/theirs.Seconds())
		}
	}
	l.compared = ratios(l.ours.values, l.peer.values)
	return l, nil
}

func (s *series) add(v float64) { s.values = append(s.values, v) }

func (s *series) addIf(measured bool, v float64) {
	if measured {
		s.add(v)
	}
}

// decode is the command under test.
func (b *bench) decode(form, file string) []string {
	return []string{b.kind4, "decode", "--input", "lp32", "-o", form, file}
}

// benchCores sets two cores against one, in each form with output byte for byte the same.
func benchCores(b *bench) ([]line, error) {
	c, err := b.corpus()
	if err != nil {
		return nil, err
	}
	const one, two = "GOMAXPROCS=1", "GOMAXPROCS=2"
	for _, form := range []string{"json", "pretty", "hex", "line"} {
		if err := b.sameOutput(c, form, one, two); err != nil {
			return nil, err
		}
	}
	amount := float64(c.count) / 1e3
	l := line{work: "two cores, -o json", goal: atLeast(1.4), ours: series{unit: "k msg/s"},
		peer: series{name: one, unit: "k msg/s"}, notes: []string{"output byte for byte the same: json, pretty, hex, line"}}
	for range b.rounds {
		for _, run := range []struct {
			env string
			to  *series
		}{{two, &l.ours}, {one, &l.peer}} {
			took, err := b.timed([]string{run.env}, b.decode("json", c.lp32)...)
			if err != nil {
				return nil, err
			}
			run.to.add(amount / took.Seconds())
		}
	}
	l.compared = ratios(l.ours.values, l.peer.values)
	return []line{l}, nil
}

// sameOutput is an error unless all of these environments give the same output, and as many lines as json has to have.
func (b *bench) sameOutput(c *corpus, form string, envs ...string) error {
	var first *digest
	for _, env := range envs {
		d, err := b.digest(env, b.decode(form, c.lp32)...)
		switch {
		case err != nil:
			return err
		case form == "json" && d.lines != c.count:
			return fmt.Errorf("-o json: %d lines of %d messages", d.lines, c.count)
		case first != nil && *d != *first:
			return fmt.Errorf("-o %s: output differs between %s and %s", form, envs[0], env)
		}
		first = d
	}
	return nil
}

// digest stands for what a program wrote.
type digest struct {
	sum          [sha256.Size]byte
	bytes, lines int
}

func (b *bench) digest(env string, argv ...string) (*digest, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	cmd := b.command(ctx, argv...)
	cmd.Env = append(cmd.Env, env)
	var d digest
	hash := sha256.New()
	cmd.Stdout = io.MultiWriter(hash, &d)
	err := b.run(cmd)
	hash.Sum(d.sum[:0])
	return &d, err
}

// Write counts.
func (d *digest) Write(p []byte) (int, error) {
	d.bytes += len(p)
	d.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}
