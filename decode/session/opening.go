package session

// Opening tells the openings of paths apart: the same path of two proxies is two, and so is one that was opened while it
// was open already.
type Opening struct {
	Proxy  string // "" where the source has only one
	Path   string
	Remote string // of the peer, where the event names it: a tap names it in messages of a path that was open already
}

// Opening returns the opening that an event belongs to.
func (e *Event) Opening() Opening { return Opening{e.Proxy, e.Path, e.Remote} }

// First returns the first opening of a path that is open more than once.
func (o Opening) First() Opening {
	o.Remote = ""
	return o
}

// Proxies counts the proxies that events name, as far as it matters: none, one or several. The zero Proxies has seen none.
type Proxies struct {
	first   string
	several bool
}

// Take takes in the proxy that an event names, and returns the first one where it is the second.
func (p *Proxies) Take(proxy string) (first string, second bool) {
	switch {
	case p.several || proxy == "" || proxy == p.first:
	case p.first == "":
		p.first = proxy
	default:
		p.several = true
		return p.first, true
	}
	return "", false
}

// Several reports whether more than one proxy was named.
func (p *Proxies) Several() bool { return p.several }
