package live

import "time"

// Demo returns a short session with one of everything that a notification path can carry, the good first.
// It lasts about a second.
func Demo() Script {
	var s Script
	s.add(0, demoStart...)
	s.add(60*time.Millisecond, demoProgress...)
	s.add(25*time.Millisecond, demoGood...)
	s.add(40*time.Millisecond, demoBad...)
	return s
}

func (s *Script) add(pause time.Duration, messages ...string) {
	for _, message := range messages {
		s.steps = append(s.steps, step{pause, []byte(message)})
	}
}

var demoStart = []string{
	"\x00" + `{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///srv/app/config.toml"]}}}`,
	"\x00" + `{"method":"notifications/message","params":{"level":"info","logger":"indexer","data":"indexing 9 files"}}`,
}

var demoProgress = []string{
	"\x00" + `{"method":"notifications/progress","params":{"progressToken":"index","progress":1,"total":9,"message":"reading"}}`,
	"\x00" + `{"method":"notifications/progress","params":{"progressToken":"index","progress":3,"total":9,"message":"reading"}}`,
	"\x00" + `{"method":"notifications/progress","params":{"progressToken":"index","progress":6,"total":9,"message":"writing"}}`,
	"\x00" + `{"method":"notifications/progress","params":{"progressToken":"index","progress":9,"total":9,"message":"done"}}`,
}

var demoGood = []string{
	"\x00" + `{"method":"notifications/message","params":{"level":"debug","logger":"db.pool","data":{"rows":4,"ms":1.25}}}`,
	"\x00" + `{"method":"notifications/message","params":{"level":"warning","logger":"db.pool","data":"slow query: 812 ms"}}`,
	"\x00" + `{"method":"notifications/resources/updated","params":{"uri":"file:///srv/app/config.toml"}}`,
	"\x00" + `{"method":"notifications/resources/list_changed"}`,
	"\x00" + `{"method":"notifications/tools/list_changed"}`,
	"\x00" + `{"method":"notifications/prompts/list_changed"}`,
	"\x00" + `{"method":"notifications/tasks","params":{"taskId":"report-7","status":"working","statusMessage":"collecting","createdAt":"2026-11-30T12:00:00Z","lastUpdatedAt":"2026-11-30T12:00:01Z","ttlMs":60000,"pollIntervalMs":500}}`,
	"\x00" + `{"method":"notifications/tasks","params":{"taskId":"report-7","status":"completed","createdAt":"2026-11-30T12:00:00Z","lastUpdatedAt":"2026-11-30T12:00:04Z","ttlMs":60000,"result":{"content":[{"type":"text","text":"3 pages"}]}}}`,
	"\x00" + `{"method":"notifications/cancelled","params":{"requestId":3,"reason":"asked by the user"}}`,
	"\x00" + `{"method":"acme/cache/warmed","params":{"hits":3,"of":8}}`,
	"\x00" + `{"method":"notifications/message","params":{"level":"error","logger":"build","data":"\u001b[31mFAILED\u001b[0m größe ≠ 4 · 日本語"}}`,
}

// demoBad is what a debugger is for: taken as custom in silence, without its tag, empty, cut off.
var demoBad = []string{
	"\x00" + `{"method":"notifications/progress","params":{"progressToken":"upload","progress":"50"}}`,
	`{"method":"notifications/tools/list_changed"}`,
	"",
	"\x00" + `{"method":"notifications/message","params":{"level":"info",`,
}
