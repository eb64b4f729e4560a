package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kind4/cmd/live"
	"kind4/decode"
)

// episode is one thing that happens in every round.
type episode struct {
	name string
	play func(*playing) error
}

// playing is an episode under way.
type playing struct {
	*lane
	round int
	work  work
}

// lastingEpisodes are played against a tail that lasts from the first round to the last.
var lastingEpisodes = []episode{
	{"flood", func(p *playing) error { return p.one(p.files.many, 25) }},
	{"rate", func(p *playing) error { return p.one(p.files.some, 1, "--rate", "400") }},
	{"path by path", pathByPath},
	{"reconnect", reconnect},
	{"two providers", twoProviders},
	{"abort", func(p *playing) error { return p.one(p.files.some, 3, "--end", "abort") }},
	{"error", func(p *playing) error { return p.one(p.files.some, 1, "--end", "error") }},
	{"not served", func(p *playing) error { return p.one(p.files.few, 0, "--fault", "not-served") }},
	{"second opening", secondOpening},
	{"faults", faults},
	{"slow reader", slowReader},
	{"tap", tapBetween},
}

// The outcomes, as the closed event and the line on standard error name them.
const (
	complete  = "complete"
	failed    = "failed"
	died      = "died"
	notServed = "not-served"
)

// wanted is how a path is to end.
type wanted struct {
	outcome string
	count   uint64 // messages with a counter
	others  uint64
	line    string // on standard error, behind the path; "" for none that is known
}

func (p *playing) completed(count uint64) wanted {
	return wanted{complete, count, 0, fmt.Sprintf("complete: close 1000 after %s", messages(count))}
}

func messages(n uint64) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

// expected is how a path ends that provide serves with these flags.
func (p *playing) expected(f file, times uint64, flags []string) wanted {
	count := f.count * times
	switch strings.Join(flags[:min(2, len(flags))], " ") {
	case "--end abort":
		return wanted{died, count, 0, "died: connection reset after " + messages(count)}
	case "--end error":
		return wanted{failed, count, 1, "failed: -32603 internal error"}
	case "--fault not-served":
		return wanted{notServed, 0, 0, "not served: close 1000 and no message"}
	}
	return p.completed(count)
}

// ends waits for the end of the next path, and holds it against what is wanted.
func (p *playing) ends(r *running, w wanted) error {
	e, err := r.out.next()
	if err != nil {
		return err
	}
	return p.ended(r, e, w)
}

// ended holds the end of a path against what is wanted.
func (p *playing) ended(r *running, e ending, w wanted) error {
	p.take(e)
	switch {
	case e.Event != "closed" || e.Outcome != w.outcome:
		return fmt.Errorf("%s %s %s, want it %s", e.Event, e.Path, e.Outcome, w.outcome)
	case e.counted != w.count || e.Messages != w.count+w.others:
		return fmt.Errorf("%s: %d of %d messages shown, %d in all, want %d more", e.Path, e.counted, w.count, e.Messages, w.others)
	}
	_, err := r.said.wait(e.Path + " " + w.line)
	return err
}

// take counts a path that ended.
func (p *playing) take(e ending) {
	if e.Event == "closed" {
		p.work.paths++
		p.work.messages += e.Messages
		p.count(e.Outcome)
	}
}

// served holds what provide says against what it was to send, on so many paths.
func served(got *provided, paths int, each uint64) error {
	if got.code != 0 {
		return fmt.Errorf("provide: exit code %d, want 0: %q", got.code, got.said.all())
	}
	counts := got.sent()
	if len(counts) != paths {
		return fmt.Errorf("provide: %d paths, want %d: %q", len(counts), paths, got.said.all())
	}
	for _, n := range counts {
		if n != each {
			return fmt.Errorf("provide: %d messages sent, want %d", n, each)
		}
	}
	return nil
}

// one sends a file so many times on one path.
func (p *playing) one(f file, times uint64, flags ...string) error {
	return p.through(p.tail.url, f, times, flags...)
}

// through is one, by way of an address.
func (p *playing) through(url string, f file, times uint64, flags ...string) error {
	w := p.expected(f, times, flags)
	args := append([]string{f.name, "--speed", "max"}, flags...)
	if len(flags) > 0 && flags[0] == "--rate" {
		args = append([]string{f.name}, flags...)
	}
	if times > 0 {
		args = append(args, "--repeat", strconv.FormatUint(times, 10))
	}
	got := provide(url, args...)
	if err := p.ends(p.tail, w); err != nil {
		return fmt.Errorf("%w; provide: %q", err, got.said.all())
	}
	if w.outcome == notServed {
		return nil
	}
	return served(got, 1, w.count+w.others)
}

// pathByPath opens one path after the other on one tail.
func pathByPath(p *playing) error {
	count := 40
	if p.round == 0 {
		count = 500
	}
	for range count {
		if err := p.one(p.files.few, 1); err != nil {
			return err
		}
	}
	return nil
}

const reconnects = 3

func reconnect(p *playing) error {
	got := provide(p.tail.url, p.files.some.name, "--speed", "max", "--reconnect", "--paths", strconv.Itoa(reconnects))
	for range reconnects {
		if err := p.ends(p.tail, p.completed(p.files.some.count)); err != nil {
			return err
		}
	}
	return served(got, reconnects, p.files.some.count)
}

// twoProviders take turns on one tail: whoever comes while the other has /requests is refused, and comes again.
func twoProviders(p *playing) error {
	args := []string{p.files.many.name, "--speed", "max", "--reconnect", "--paths", "2"}
	first := make(chan *provided)
	go func() { first <- provide(p.tail.url, args...) }()
	second := provide(p.tail.url, args...)
	for _, got := range []*provided{second, <-first} {
		if err := served(got, 2, p.files.many.count); err != nil {
			return err
		}
	}
	for paths := 0; paths < 4; {
		e, err := p.tail.out.next()
		if err != nil {
			return err
		}
		if e.Event == "refused" && e.Status == 409 {
			continue
		}
		if err := p.ended(p.tail, e, p.completed(p.files.many.count)); err != nil {
			return err
		}
		paths++
	}
	return nil
}

// secondOpening opens what is open already, and what was not asked for: the tail refuses, and the first goes on.
func secondOpening(p *playing) error {
	for _, refused := range []struct {
		fault  string
		status int
	}{{"second-opening", 409}, {"second-requests", 409}, {"unknown-channel", 404}} {
		got := provide(p.tail.url, p.files.some.name, "--speed", "max", "--fault", refused.fault)
		e, err := p.tail.out.next()
		if err != nil {
			return err
		}
		if e.Event != "refused" || e.Status != refused.status {
			return fmt.Errorf("%s: %s %d, want a refusal with %d", refused.fault, e.Event, e.Status, refused.status)
		}
		if err := p.ends(p.tail, p.completed(p.files.some.count)); err != nil {
			return err
		}
		if err := served(got, 1, p.files.some.count); err != nil {
			return err
		}
	}
	return nil
}

// faults has provide do another thing wrong each time, and everything right behind it.
func faults(p *playing) error {
	for range 4 {
		f := nextFault(&p.lane.fault)
		p.tail.out.forgetFindings()
		got := provide(p.tail.url, p.files.few.name, "--speed", "max", "--fault", f.Name)
		if got.code != 0 {
			return fmt.Errorf("%s: provide: exit code %d, want 0: %q", f.Name, got.code, got.said.all())
		}
		e, err := p.tail.out.next()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		p.take(e)
		want := f.Finding != 0 && !p.toldOnce[f.Finding]
		if found := p.tail.out.found(f.Finding.String()); found != want {
			return fmt.Errorf("%s: %s found: %v, want %v", f.Name, f.Finding, found, want)
		}
		if f.Finding == decode.TokenTwins || f.Finding == decode.StateCapped {
			p.toldOnce[f.Finding] = true
		}
		outcome, line := faultEnding(f)
		if e.Outcome != outcome || e.counted != p.files.few.count {
			return fmt.Errorf("%s: %s %s after %d messages, want it %s after %d", f.Name, e.Path, e.Outcome, e.counted, outcome, p.files.few.count)
		}
		if _, err := p.tail.said.wait(e.Path + " " + line); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := p.one(p.files.few, 1); err != nil {
			return fmt.Errorf("behind %s: %w", f.Name, err)
		}
	}
	return nil
}

// faultEnding is how a path ends on which provide did that.
func faultEnding(f *live.Fault) (outcome, line string) {
	switch f.Finding {
	case 0:
		return died, "died: connection ended without a Close after "
	case decode.BrokenWebSocket:
		return died, "died: broken WebSocket after "
	case decode.AfterError:
		return failed, "failed: -32603 internal error: upstream gone"
	case decode.CloseCode:
		return complete, "complete: close 1011 after "
	}
	return complete, "complete: close 1000 after "
}

// nextFault goes round the faults but those of secondOpening, that of an episode of its own, and those whose one message
// is larger than all else together.
func nextFault(at *int) *live.Fault {
	all := live.Faults()
	for {
		f := all[*at%len(all)]
		*at++
		switch f.Name {
		case "second-opening", "second-requests", "unknown-channel", "not-served", "frame-too-large", "oversize":
		default:
			return f
		}
	}
}

// slowReader reads standard output more slowly than the provider sends, until everything came.
func slowReader(p *playing) error {
	p.tail.out.slow.Store(int64(time.Millisecond))
	defer p.tail.out.slow.Store(0)
	return p.one(p.files.large, 2)
}

// tapBetween relays one path of each kind, and then the tap's reader goes away.
func tapBetween(p *playing) error {
	tap, err := start("", "tap", "-l", "127.0.0.1:0", "-o", "json", "--events", "--once", p.tail.url)
	if err != nil {
		return err
	}
	if err := p.through(tap.url, p.files.many, 2); err != nil {
		return err
	}
	if err := p.ends(tap, p.completed(2*p.files.many.count)); err != nil {
		return fmt.Errorf("tap: %w", err)
	}
	code, err := tap.exited()
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d, want 0", code)
	}
	if err != nil {
		return fmt.Errorf("tap: %w", err)
	}
	return nil
}
