package cmd

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"kind4/decode/capture"
)

const flagUntagged = "untagged"

func untaggedFlag() cli.Flag {
	return boolFlag(flagUntagged, "", "read JSON-RPC without tags, from lines or an event stream (SSE); skip all but notifications")
}

// readUntagged reports whether the messages of the input have no tags. The formats that are so say it by themselves.
func readUntagged(c *cli.Context, format capture.Format) (bool, error) {
	if c.Bool(flagUntagged) && format != capture.Auto && !format.Untagged() {
		return false, &usageError{"--untagged reads lines and event streams: --input " + format.String() + " does not go with it",
			"--input lines and --input sse do, where auto takes one for the other"}
	}
	return c.Bool(flagUntagged) || format.Untagged(), nil
}

// tallyLine says what an untagged input held and what of it was skipped, "" where nothing was.
func tallyLine(format capture.Format, t capture.Tally) string {
	var skipped []string
	add := func(n int64, noun string) {
		if n > 0 {
			skipped = append(skipped, plural(n, noun))
		}
	}
	add(t.Requests, "request")
	add(t.Responses, "response")
	if format == capture.SSE {
		add(t.Others, "other event")
		if t.Named > 0 {
			skipped = append(skipped, plural(t.Named, "event")+" of another name ("+quote(t.Name)+")")
		}
		add(t.Comments, "comment")
		add(t.Fields, "other line")
	} else {
		add(t.Others, "other line")
	}
	if len(skipped) == 0 {
		return ""
	}
	return plural(t.Messages, "notification") + "; skipped " + strings.Join(skipped, ", ")
}

// tallyHint says why an untagged input may hold less than it seems to, "" where nothing speaks for that.
func tallyHint(format capture.Format, t capture.Tally) string {
	switch {
	case t.Wrapper != "":
		return fmt.Sprintf("JSON-RPC stands in the strings of %q, as a logger wraps it: unwrap it first, with jq -r .%s", t.Wrapper, t.Wrapper)
	case t.Messages > 0:
		return ""
	case format == capture.SSE && t.Fields > 0:
		return "it was read as an event stream, and no event is a notification; --input lines reads JSON-RPC line by line"
	}
	return "no notification in it: --untagged reads JSON-RPC, a message a line or an event"
}
