package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"kind4/cmd/live"
	"kind4/decode/session"
)

// toolNotifications is the proxy's path with the notifications of the container's own MCP server (Diverge Provider
// 2.3.0, proxy).
const toolNotifications = session.ToolPath

const (
	flagHeader   = "header"
	flagInsecure = "insecure"
)

// dialFlags are those of a path that kind4 dials.
func dialFlags() []cli.Flag {
	return []cli.Flag{
		listFlag(flagHeader, "H", "with a URL: send the header `LINE`, 'Name: value', with the request (repeatable)", ""),
		boolFlag(flagInsecure, "", "with a wss:// URL: do not check the server's certificate"),
	}
}

// target is a path to dial.
type target struct {
	url      *url.URL
	header   []string // lines "Name: value"
	insecure bool
}

// readTarget reads the URL and the flags that go with it; nil where there is no URL.
func readTarget(c *cli.Context) (*target, error) {
	if c.NArg() == 0 {
		for _, name := range []string{flagHeader, flagInsecure} {
			if given(c, name) {
				return nil, &usageError{"--" + name + " goes with a URL to dial", ""}
			}
		}
		return nil, nil
	}
	if c.NArg() > 1 {
		return nil, &usageError{"tail takes one URL, and there is " + quote(c.Args().Get(1)) + " besides", ""}
	}
	for _, name := range []string{"listen", "demo", "first-exchange"} {
		if given(c, name) {
			return nil, &usageError{"--" + name + " does not go with a URL", "with one kind4 dials and does not listen"}
		}
	}
	u, err := parseTarget(c.Args().First(), "ws", "wss")
	if err != nil {
		return nil, err
	}
	if why := badPath(u.EscapedPath()); why != "" {
		return nil, &usageError{"the URL " + quote(c.Args().First()) + why, "the path to tail is " + toolNotifications}
	}
	t := &target{url: u, header: list(c, flagHeader), insecure: c.Bool(flagInsecure)}
	if t.insecure && u.Scheme != "wss" {
		return nil, &usageError{"--insecure goes with a wss:// URL", ""}
	}
	return t, checkHeader(t.header)
}

// badPath says why a path is not dialled to be tailed, "" where it is.
func badPath(path string) string {
	switch path {
	case "", "/":
		return " has no path"
	case pathRequests:
		return " is where asks go, no notifications"
	}
	return ""
}

// parseTarget reads a URL with one of the schemes, a host, and neither user nor fragment (RFC 6455 section 3).
func parseTarget(text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	hint := "write " + schemes[0] + "://HOST:PORT"
	why := ""
	switch {
	case err != nil:
		why = "cannot be read"
		if !strings.Contains(text, "://") {
			why = "has no scheme"
		}
	case u.Scheme == "http" || u.Scheme == "https":
		why, hint = "is no WebSocket's", "did you mean "+map[string]string{"http": "ws", "https": "wss"}[u.Scheme]+"://?"
	case !slices.Contains(schemes, u.Scheme):
		why = "is not one of " + strings.Join(schemes, ":// or ") + "://"
	case u.Hostname() == "":
		why = "names no host"
	case u.User != nil:
		why, hint = "names a user", "send -H 'Authorization: …' instead"
	case u.Port() != "" && !isPort(u.Port()):
		why, hint = "has a port that is none", "ports are 1 to 65535"
	case u.Fragment != "":
		why, hint = "has a fragment, which a WebSocket's cannot have", ""
	}
	if why != "" {
		return nil, &usageError{"the URL " + quote(text) + " " + why, hint}
	}
	return u, nil
}

// isPort reports whether a number is a port that can be dialled.
func isPort(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 16)
	return err == nil && n > 0
}

// isHost reports whether a header Host can hold the value: a host and perhaps a port (RFC 9110 section 7.2).
func isHost(value string) bool {
	u, err := url.Parse("ws://" + value)
	return err == nil && u.Host == value && u.Hostname() != "" && (u.Port() == "" || isPort(u.Port()))
}

// checkHeader checks lines "Name: value" (RFC 9110 section 5). What the upgrade itself says cannot be said twice.
func checkHeader(lines []string) error {
	for _, line := range lines {
		name, value, found := strings.Cut(line, ":")
		lower := strings.ToLower(name)
		switch {
		case !found || !isToken(name) || strings.ContainsFunc(value, isControl):
			return &usageError{"--header " + quote(line) + ": not a header", "write 'Name: value'"}
		case lower == "host" && !isHost(strings.TrimSpace(value)):
			return &usageError{"--header " + quote(line) + ": not a host", "write 'Host: NAME' or 'Host: NAME:PORT'"}
		case lower == "upgrade" || lower == "connection" || lower == "content-length" || lower == "transfer-encoding" ||
			strings.HasPrefix(lower, "sec-websocket-"):
			return &usageError{"--header " + quote(line) + ": kind4 sends this one itself, or must not send it", ""}
		}
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110 section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\\]{}`, r)
	})
}

// isControl reports whether a header's value cannot hold r (RFC 9110 section 5.5).
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// dialLimit is how long the opening may take: nothing comes meanwhile, so --wait bounds it as --timeout does. It is 0
// where the dialer's own limit is the only one.
func (o *tailOptions) dialLimit() time.Duration {
	if o.timeout == 0 || o.wait == 0 {
		return max(o.timeout, o.wait)
	}
	return min(o.timeout, o.wait)
}

// dial opens the target within dialLimit. A signal that comes meanwhile ends it.
func (t *target) dial(o *tailOptions, signals <-chan os.Signal) (*live.Dialed, os.Signal, error) {
	ctx, cancel := context.WithCancel(context.Background())
	if limit := o.dialLimit(); limit > 0 {
		ctx, cancel = context.WithTimeout(context.Background(), limit)
	}
	defer cancel()
	var dialed *live.Dialed
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		dialed, err = live.Dial(ctx, live.DialOptions{URL: t.url, Header: t.header, Insecure: t.insecure, MaxSize: o.maxSize})
	}()
	select {
	case <-done:
	case signal := <-signals:
		cancel()
		<-done
		if dialed != nil {
			leave, stop := context.WithTimeout(context.Background(), farewell)
			defer stop()
			dialed.Shutdown(leave)
		}
		return nil, signal, nil
	}
	if err != nil {
		return nil, nil, &connectError{t.dialError(err)}
	}
	return dialed, nil, nil
}

// dialError says why the path could not be opened, with a way out.
func (t *target) dialError(err error) error {
	shown := *t.url
	shown.RawQuery = ""
	var refused *live.RefusedError
	if errors.As(err, &refused) {
		return fmt.Errorf("%s %w", quoteBare(shown.String()), err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("no answer in time")
	}
	return fmt.Errorf("cannot dial %s: %w%s", quoteBare(shown.String()), err, t.dialHint(err))
}

func (t *target) dialHint(err error) string {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, live.ErrTLSExpected):
		return "; use wss://"
	case errors.As(err, &certificate):
		return "; --insecure does without the check"
	case errors.As(err, &record):
		return "; use ws://, it does not speak TLS"
	case errors.Is(err, syscall.ECONNREFUSED) && t.url.Port() == "":
		return "; a URL without a port means 80 (wss: 443), and a proxy listens on 14979"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "; is the proxy running there?"
	}
	return ""
}

// tailTarget is the run of tail that dials. The path's end is the session's.
func tailTarget(o *tailOptions, v *view, env *environment, signals <-chan os.Signal) (int, error) {
	began := time.Now()
	dialed, signal, err := o.target.dial(o, signals)
	switch {
	case err != nil:
		if v.notOpened(o.target, err) {
			return exitOperation, err
		}
		return 0, err
	case signal != nil:
		v.recorder.discard()
		v.endings.signal = signal
		return v.endings.code(), nil
	}
	if o.timeout > 0 {
		o.timeout = max(o.timeout-time.Since(began), time.Millisecond)
	}
	if path := o.target.url.EscapedPath(); path != toolNotifications && !isNotificationPath(path) {
		v.status.say("%s is not %s: what comes there is read as notifications all the same", path, toolNotifications)
	}
	v.once = true
	t := newTail(o, v, dialed)
	t.began = began
	return t.session(env, signals), nil
}

// notOpened takes in that the target could not be opened, and reports whether that could not be recorded or shown. A
// refusal is an event of the session; its line the error is.
func (v *view) notOpened(t *target, err error) (failed bool) {
	var refused *live.RefusedError
	if !errors.As(err, &refused) {
		v.recorder.discard()
		return false
	}
	ev := &session.Event{Kind: session.Refused, Time: time.Now().UnixMicro(), Path: t.url.EscapedPath(), Remote: refused.Remote,
		From: session.Proxy, FromKind4: true, Method: http.MethodGet, Status: refused.Status, Reason: refused.Reason()}
	if err := v.tell(ev); err != nil {
		v.status.failure(err.Error())
	}
	v.recordFailed(v.recorder.close())
	return v.endings.failure || v.endings.unrecorded
}
