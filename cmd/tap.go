package cmd

import (
	"fmt"
	"net"
	"slices"

	"github.com/urfave/cli/v2"

	"kind4/cmd/live"
)

func tapCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "tap",
		Usage:     "relay between a provider and a real proxy, and decode what passes",
		ArgsUsage: "URL",
		Description: "Listens where the provider dials, dials the proxy at URL, ws://HOST:PORT, for every path that is opened, and " +
			"relays what either sends byte for byte. Shows the messages of /mcp/notifications/{channel} and " +
			"/tool/notifications, says which asks pass on /requests, and counts the rest.",
		Flags: append([]cli.Flag{
			stringFlag("listen", "l", defaultListen, "`ADDRESS` to listen on; :14979 is every interface, port 0 a free port", "KIND4_LISTEN"),
			boolFlag("once", "", "end with the first notification path"),
			stringFlag("timeout", "", "", "end after this `DURATION` in all", "KIND4_TIMEOUT"),
			stringFlag("wait", "", "", "end after this `DURATION` without a message", "KIND4_WAIT"),
			boolFlag("events", "", "with -o json: session events between the messages"),
		}, slices.Concat(showFlags(), []cli.Flag{redactFlag()}, recordFlags(), []cli.Flag{recordSecretsFlag()})...),
		Action: func(c *cli.Context) (err error) {
			*code, err = runTap(c, env)
			return err
		},
	}
}

func runTap(c *cli.Context, env *environment) (int, error) {
	o, err := readSessionOptions(c)
	if err != nil {
		return 0, err
	}
	address, err := tappedAddress(c, o.listen)
	if err != nil {
		return 0, err
	}
	v, env, err := o.show(c, env)
	if err != nil {
		return 0, err
	}
	signals, stopSignals := catchSignals() // before anything says that kind4 listens
	defer stopSignals()
	tap, err := live.ListenTap(live.TapOptions{Listen: o.listen, Proxy: address, MaxSize: o.maxSize})
	if err != nil {
		v.recorder.discard()
		return 0, &connectError{listenError(o.listen, err)}
	}
	v.status.say("listening on ws://%s", tap.Addr())
	v.status.say("relaying to ws://%s", address)
	return newTail(o, v, tap).session(env, signals), nil
}

// tappedAddress is HOST:PORT of the proxy, which the one URL names.
func tappedAddress(c *cli.Context, listen string) (string, error) {
	if c.NArg() != 1 {
		return "", &usageError{fmt.Sprintf("tap takes one URL, and there are %d arguments", c.NArg()), "write ws://HOST:PORT of the proxy"}
	}
	text := c.Args().First()
	u, err := parseTarget(text, "ws")
	if err != nil {
		return "", err
	}
	if u.EscapedPath() != "" && u.EscapedPath() != "/" || u.RawQuery != "" {
		return "", &usageError{"the URL " + quote(text) + " has a path, and every path is relayed", "write ws://HOST:PORT of the proxy"}
	}
	port := u.Port()
	if port == "" {
		port = "80" // RFC 6455 section 3
	}
	if dialsItself(listen, u.Hostname(), port) {
		return "", &usageError{"the URL " + quote(text) + " is where tap itself listens", "choose another address with -l, 127.0.0.1:0 say"}
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}

// dialsItself reports whether a host and port are the address to listen on, as far as can be told from how they are
// written.
func dialsItself(listen, host, port string) bool {
	here, herePort, err := net.SplitHostPort(listen)
	if err != nil || herePort != port {
		return false
	}
	local := host == "localhost" || net.ParseIP(host).IsLoopback()
	any := here == "" || net.ParseIP(here).IsUnspecified()
	return here == host || local && (any || here == "localhost") || host == "localhost" && net.ParseIP(here).IsLoopback()
}
