package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"kind4/cmd"
)

// sessionEpisodes are of tails that end within them.
var sessionEpisodes = []episode{
	{"exit codes", exitCodes},
	{"record", record},
	{"stopped reader", stoppedReader},
	{"reader goes away", readerGoesAway},
}

// limitEpisodes take as long as a limit is, and are played beside the others.
var limitEpisodes = []episode{{"time is up", timeIsUp}}

// ended is a session by its flags, and how it is to end.
type ended struct {
	tail, provide []string
	code, sender  int
	want          wanted
}

func (c *ended) play(p *playing) error {
	tail, err := start("", append(tailArgs[:len(tailArgs):len(tailArgs)], c.tail...)...)
	if err != nil {
		return err
	}
	got := provide(tail.url, append([]string{p.files.some.name, "--speed", "max"}, c.provide...)...)
	if err := p.ends(tail, c.want); err != nil {
		return err
	}
	code, err := tail.exited()
	if err != nil || code != c.code || got.code != c.sender {
		return fmt.Errorf("exit codes %d and %d, want %d and %d: %v", code, got.code, c.code, c.sender, err)
	}
	return nil
}

// limit is longer than a machine that is busy takes to open a path.
const limit = 2 * time.Second

func timeIsUp(p *playing) error {
	c := ended{[]string{"--timeout", limit.String(), "-n", "1000"}, []string{"--end", "hold"}, 124, 0,
		wanted{"ended", p.files.some.count, 0, "ended by kind4: close 1000 after "}}
	return c.play(p)
}

// exitCodes ends sessions in every other way that has a code.
func exitCodes(p *playing) error {
	some := p.files.some.count
	for _, c := range []ended{
		{[]string{"--once"}, nil, 0, 0, p.completed(some)},
		{[]string{"-n", fmt.Sprint(some)}, []string{"--end", "hold"}, 0, 0, wanted{"ended", some, 0, "ended by kind4: close 1000 after "}},
		{[]string{"--once"}, []string{"--end", "error"}, 5, 0, wanted{failed, some, 1, "failed: -32603 internal error"}},
		{[]string{"--once"}, []string{"--end", "abort"}, 7, 0, wanted{died, some, 0, "died: connection reset after "}},
		{[]string{"--once"}, []string{"--fault", "cut-payload"}, 7, 0, wanted{died, some, 0, "died: connection ended without a Close after "}},
		{[]string{"--once"}, []string{"--fault", "unmasked"}, 7, 0, wanted{died, some, 0, "died: broken WebSocket after "}},
		{[]string{"--once"}, []string{"--fault", "bad-json"}, 6, 0, wanted{complete, some, 1, "complete: close 1000 after "}},
		{[]string{"--once"}, []string{"--fault", "not-served"}, 4, 0, wanted{notServed, 0, 0, "not served: close 1000 and no message"}},
		{[]string{"--once", "--expect", "progress"}, nil, 4, 0, p.completed(some)},
	} {
		if err := c.play(p); err != nil {
			return fmt.Errorf("%q, %q: %w", c.tail, c.provide, err)
		}
	}
	return nil
}

// record records a session; what is decoded of the record is what was shown.
func record(p *playing) error {
	name := filepath.Join(p.dir, "record")
	tail, err := start("", "tail", "-l", "127.0.0.1:0", "-o", "json", "-n", fmt.Sprint(2*p.files.many.count), "-w", name, "--force")
	if err != nil {
		return err
	}
	shown := new(bytes.Buffer)
	tail.out.keep(shown)
	provide(tail.url, p.files.many.name, "--speed", "max", "--repeat", "2")
	code, err := tail.exited()
	if err != nil || code != 0 {
		return fmt.Errorf("exit code %d, want 0: %v", code, err)
	}
	p.work.paths++
	p.work.messages += tail.out.seq
	var decoded, said bytes.Buffer
	code = cmd.Run([]string{"kind4", "decode", "-o", "json", name}, strings.NewReader(""), &decoded, &said)
	if code != 0 || !bytes.Equal(decoded.Bytes(), shown.Bytes()) {
		return fmt.Errorf("decode: exit code %d, and %d bytes where %d were shown: %s", code, decoded.Len(), shown.Len(), &said)
	}
	return nil
}

// stoppedReader reads nothing until tail says that reading waits, and everything from then on.
func stoppedReader(p *playing) error {
	tail, err := start("", append(tailArgs[:len(tailArgs):len(tailArgs)], "--once")...)
	if err != nil {
		return err
	}
	release := tail.out.hold()
	ended := make(chan *provided, 1)
	go func() {
		ended <- provide(tail.url, p.files.large.name, "--speed", "max", "--repeat", strconv.Itoa(largeRuns))
	}()
	_, err = tail.said.wait("the output is slower than the provider: reading waits for it, nothing is lost")
	release()
	if err != nil {
		return err
	}
	count := p.files.large.count * largeRuns
	if err := p.ends(tail, p.completed(count)); err != nil {
		return err
	}
	if code, err := tail.exited(); code != 0 || err != nil {
		return fmt.Errorf("exit code %d, want 0: %v", code, err)
	}
	return served(<-ended, 1, count)
}

// readerGoesAway closes standard output's other end in the middle of a path, which ends tail with 0, and the path.
func readerGoesAway(p *playing) error {
	tail, err := start("", tailArgs...)
	if err != nil {
		return err
	}
	ended := make(chan *provided, 1)
	go func() {
		ended <- provide(tail.url, p.files.some.name, "--speed", "max", "--repeat", "forever")
	}()
	select {
	case <-tail.out.first:
	case <-time.After(patience):
		return fmt.Errorf("no message came within %v", patience)
	}
	tail.out.leave()
	code, err := tail.exited()
	if err != nil || code != 0 {
		return fmt.Errorf("exit code %d, want 0: %v", code, err)
	}
	if got := <-ended; got.code != 0 {
		return fmt.Errorf("provide: exit code %d, want 0: %q", got.code, got.said.all())
	}
	p.work.paths++
	return nil
}
