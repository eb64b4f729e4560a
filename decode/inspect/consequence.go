package inspect

import "kind4/decode"

// Consequence says what follows from such a finding, in one sentence, full stop included; "" where the text
// says enough.
func (f *Finding) Consequence() string {
	if f.silent {
		return ""
	}
	if f.Code == decode.ParamsMisfit {
		return misfitConsequences[f.known]
	}
	return consequences[f.Code]
}

const (
	comesCustom = "The receiver takes this for a custom notification, and whoever waits for "
	isUnheard   = " never sees it."
)

// misfitConsequences by what the method names.
var misfitConsequences = [decode.Custom + 1]string{
	decode.Cancelled:                 "The receiver takes this for a custom notification, and cancels nothing.",
	decode.Progress:                  comesCustom + "progress" + isUnheard,
	decode.LogMessage:                comesCustom + "log messages" + isUnheard,
	decode.ResourceUpdated:           comesCustom + "updates of resources" + isUnheard,
	decode.SubscriptionsAcknowledged: comesCustom + "the acknowledgement" + isUnheard,
	decode.Tasks:                     comesCustom + "the task" + isUnheard,
}

// consequences by code. What stops a real proxy is said of the message behind it, by receiver-stopped; an empty
// message, which shows nothing of itself, says so at once.
var consequences = [...]string{
	decode.EmptyMessage:            "The receiver refuses it, and a real proxy stops listening here.",
	decode.NearMiss:                comesCustom + "the real one" + isUnheard,
	decode.ParamsNull:              "Leave params out instead.",
	decode.CancelledWithoutRequest: "The receiver cannot tell what to cancel.",
	decode.UnsafeInteger:           "Send such numbers as strings.",
	decode.RequestMethod:           "Whoever sent it waits for an answer in vain.",
	decode.ProgressNotIncreasing:   "MCP wants progress to increase with each notification of a token.",
	decode.AfterError:              "The provider closes the path behind an error.",
	decode.TextMessage:             "A real proxy ends the path here.",
	decode.Fragmented:              "It is decoded all the same.",
	decode.NotServed:               "The proxy asks again on the next /requests.",
	decode.RequestsMessage:         "The reference proxy ends the connection.",
	decode.BrokenWebSocket:         "",
}
