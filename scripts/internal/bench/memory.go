package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// The goals of memory: so much whatever the input's size, and three times the largest message where it is larger than
// messages of the protocol usually are.
const (
	memoryLimit = 24.0 // MB
	flatness    = 1.1  // what 2 GB may take of what 20 MB take
	hugeMessage = 64 << 20
)

// benchMemory takes the most memory that decode held, in each form, with messages of at most 64 KiB, and with one of
// 64 MiB.
func benchMemory(b *bench) (lines []line, err error) {
	small, big, huge := b.file("20MB.lp32"), b.file("2GB.lp32"), b.file("64MiB.lp32")
	sizes := map[string]int64{small: 20e6, big: 2e9}
	if b.quick {
		sizes[small] = 1e6
	}
	if err := writeMixed(small, sizes[small]); err != nil {
		return nil, err
	}
	before, err := b.peakLine("memory, 20 MB of input", small, atMost(memoryLimit, "MB"))
	if err != nil {
		return nil, err
	}
	lines = append(lines, before)
	if b.roomFor(sizes[big]) {
		if err := writeMixed(big, sizes[big]); err != nil {
			return nil, err
		}
		after, err := b.peakLine("memory, 2 GB of input", big, atMost(memoryLimit, "MB"))
		os.Remove(big)
		if err != nil {
			return nil, err
		}
		lines = append(lines, after, flatLine(before, after))
	}
	if b.quick {
		return lines, nil
	}
	if err := writeHuge(huge); err != nil {
		return nil, err
	}
	defer os.Remove(huge)
	after, err := b.peakLine("memory, one of 64 MiB", huge, atMost(memoryLimit+3*hugeMessage/1e6, "MB"))
	return append(lines, after), err
}

// flatLine sets what much input takes against what little takes.
func flatLine(before, after line) line {
	l := line{work: "memory, 2 GB to 20 MB", goal: atMost(flatness, ""), ours: after.ours, peer: before.ours}
	l.peer.name, l.compared = "20 MB:", ratios(after.ours.values, before.ours.values)
	return l
}

// roomFor reports whether the file of 2 GB is wanted and fits.
func (b *bench) roomFor(size int64) bool {
	if !b.big {
		b.leaveOut("the input of 2 GB, as asked for")
		return false
	}
	if free, known := freeSpace(b.dir); known && free < size+size/4 {
		b.leaveOut("the input of 2 GB: %s has %d MB free", b.dir, free/1e6)
		return false
	}
	return true
}

// writeHuge makes a file of one message of 64 MiB between some as usual.
func writeHuge(name string) error {
	return writeFile(name, func(w *bufio.Writer) error {
		made := newMessages()
		for i := range 200 {
			if i == 100 {
				writeFramed(w, made.appendLarge(nil, hugeMessage))
			}
			writeFramed(w, made.appendNext(nil))
		}
		return nil
	})
}

// peakLine takes each round's highest of the forms.
func (b *bench) peakLine(work, file string, g goal) (line, error) {
	l := line{work: work, goal: g, ours: series{unit: "MB"}}
	forms := map[string]float64{}
	order := []string{"json", "pretty", "hex", "line"}
	for range b.rounds {
		highest := 0.0
		for _, form := range order {
			peak, err := b.peak(b.decode(form, file)...)
			if errors.Is(err, errNotTold) {
				b.leaveOut("memory: %v", err)
				return l, nil
			}
			if err != nil {
				return l, err
			}
			forms[form] = max(forms[form], peak)
			highest = max(highest, peak)
		}
		l.ours.add(highest)
	}
	l.compared = l.ours.values
	var each []string
	for _, form := range order {
		each = append(each, form+" "+digits(forms[form]))
	}
	l.notes = []string{"most in MB: " + strings.Join(each, ", ")}
	return l, nil
}

// peak runs a program, its output thrown away, and returns the most memory that it held at once, in MB. What a process
// is told to have held includes what its parent held when it was started, so a small process stands between.
func (b *bench) peak(argv ...string) (float64, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	cmd := b.command(ctx, append([]string{b.self, asPeak}, argv...)...)
	var out strings.Builder
	cmd.Stdout = &out
	if err := b.run(cmd); err != nil {
		return 0, err
	}
	if out.Len() == 0 {
		return 0, errNotTold
	}
	bytes, err := strconv.ParseInt(strings.TrimSpace(out.String()), 10, 64)
	return float64(bytes) / 1e6, err
}

var errNotTold = errors.New("this system does not tell what a process held")

// reportPeak is that small process: it runs the program and prints the peak in bytes.
func reportPeak(argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	if peak, known := peakMemory(cmd.ProcessState); known {
		fmt.Println(peak)
	}
	return nil
}
