package session

// Opening names the opening of a path that an event belongs to: the path, and the peer where the event names it. A tap
// names it in messages of a path that was open already when it was opened.
func (e *Event) Opening() string {
	if e.Remote == "" {
		return e.Path
	}
	return e.Path + " of " + e.Remote
}
