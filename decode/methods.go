package decode

// KnownMethod is a notification for which the receiver has a type of its own.
type KnownMethod struct {
	Name    string // "notifications/progress"
	Variant Variant
	Members []KnownMember // what the type reads of params, besides _meta
}

// KnownMember is a member that the receiver reads, under the name that it compares after unescaping.
type KnownMember struct {
	Name     string
	Member   Member
	Required bool   // a member that is not may be absent or null
	Need     string // what must stand there, for a sentence: "a string or an integer"

	need need
}

// need is what a member must be.
type need uint8

const (
	needAny    need = iota
	needString      // a string
	needID          // a string, or an integer in i64
	needNumber      // any number
	needObject      // an object
	needU64         // an integer in u64
	needLevel       // one of levelWords
	needStatus      // one of statusWords
	needFilter      // what an acknowledgement holds
	needInputs      // requests by name
)

var needTexts = [...]string{
	needAny:    "any value",
	needString: "a string",
	needID:     "a string or an integer",
	needNumber: "a number",
	needObject: "an object",
	needU64:    "an unsigned integer",
	needLevel:  "one of debug, info, notice, warning, error, critical, alert, emergency",
	needStatus: "one of working, input_required, completed, failed, cancelled",
	needFilter: "an object",
	needInputs: "an object of requests",
}

var (
	levelWords  = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	statusWords = []string{"working", "input_required", "completed", "failed", "cancelled"}
)

// knownMethods is the receiver's union of notifications (rmcp 3.1.2, model.rs, ServerNotification), in
// the order in which it tries them.
var knownMethods = []KnownMethod{
	{"notifications/cancelled", Cancelled, []KnownMember{
		member("requestId", MemberRequestID, false, needID),
		member("reason", MemberReason, false, needString),
	}},
	{"notifications/progress", Progress, []KnownMember{
		member("progressToken", MemberProgressToken, true, needID),
		member("progress", MemberProgress, true, needNumber),
		member("total", MemberTotal, false, needNumber),
		member("message", MemberMessage, false, needString),
	}},
	{"notifications/message", LogMessage, []KnownMember{
		member("level", MemberLevel, true, needLevel),
		member("logger", MemberLogger, false, needString),
		member("data", MemberData, true, needAny),
	}},
	{"notifications/resources/updated", ResourceUpdated, []KnownMember{
		member("uri", MemberURI, true, needString),
	}},
	{"notifications/resources/list_changed", ResourceListChanged, nil},
	{"notifications/tools/list_changed", ToolListChanged, nil},
	{"notifications/prompts/list_changed", PromptListChanged, nil},
	{"notifications/subscriptions/acknowledged", SubscriptionsAcknowledged, []KnownMember{
		member("notifications", MemberNotifications, true, needFilter),
	}},
	{"notifications/tasks", Tasks, []KnownMember{
		member("taskId", MemberTaskID, true, needString),
		member("status", MemberStatus, true, needStatus),
		member("statusMessage", MemberStatusMessage, false, needString),
		member("createdAt", MemberCreatedAt, true, needString),
		member("lastUpdatedAt", MemberLastUpdatedAt, true, needString),
		member("ttlMs", MemberTTL, false, needU64),
		member("pollIntervalMs", MemberPollInterval, false, needU64),
		member("inputRequests", MemberInputRequests, false, needInputs),
		member("result", MemberResult, false, needObject),
		member("error", MemberTaskError, false, needObject),
	}},
}

func member(name string, m Member, required bool, n need) KnownMember {
	return KnownMember{Name: name, Member: m, Required: required, Need: needTexts[n], need: n}
}

// KnownMethods returns the methods that the receiver has types for, in the order in which it tries them.
// The caller must not change what it gets.
func KnownMethods() []KnownMethod { return knownMethods }

// variantOf returns the variant that a method names, Custom for one that the receiver has no type for.
func variantOf(method []byte) Variant {
	switch string(method) {
	case "notifications/cancelled":
		return Cancelled
	case "notifications/progress":
		return Progress
	case "notifications/message":
		return LogMessage
	case "notifications/resources/updated":
		return ResourceUpdated
	case "notifications/resources/list_changed":
		return ResourceListChanged
	case "notifications/tools/list_changed":
		return ToolListChanged
	case "notifications/prompts/list_changed":
		return PromptListChanged
	case "notifications/subscriptions/acknowledged":
		return SubscriptionsAcknowledged
	case "notifications/tasks":
		return Tasks
	}
	return Custom
}

// String returns the name of a member as the receiver compares it, "_meta" for instance.
func (m Member) String() string {
	if m < NumMembers {
		return memberNames[m]
	}
	return ""
}

var memberNames = func() (t [NumMembers]string) {
	t[MemberMeta], t[MemberCode] = "_meta", "code"
	for _, method := range knownMethods {
		for _, m := range method.Members {
			t[m.Member] = m.Name
		}
	}
	return t
}()
