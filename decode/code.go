package decode

import "fmt"

// Layer names where a fault lies, in the order that a message meets the layers.
type Layer uint8

// The layers. The zero Layer is none.
const (
	LayerWire     Layer = iota + 1 // RFC 6455 and the capture around it
	LayerBytes                     // tag byte, encoding of the text
	LayerJSON                      // RFC 8259 as the receiver reads it
	LayerEnvelope                  // JSON-RPC: method, params, id
	LayerParams                    // what one method's params, or an error's members, hold
	LayerSession                   // what only the messages before can tell
)

var layerNames = [...]string{"", "wire", "bytes", "json", "envelope", "params", "session"}

// String returns the layer's name, "" for none.
func (l Layer) String() string {
	if int(l) < len(layerNames) {
		return layerNames[l]
	}
	return fmt.Sprintf("layer %d", l)
}

// Severity says how much a finding matters.
type Severity uint8

// The severities, least first.
const (
	Info    Severity = iota + 1 // worth knowing, nothing broken
	Warning                     // taken, but not doing what its sender meant, or breaking JSON-RPC or MCP
	Error                       // refused by the receiver, or the protocol is broken
)

var severityNames = [...]string{"", "info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("severity %d", s)
}

// ParseSeverity finds the severity of that name.
func ParseSeverity(name []byte) (s Severity, ok bool) {
	for s := Info; int(s) < len(severityNames); s++ {
		if severityNames[s] == string(name) {
			return s, true
		}
	}
	return 0, false
}

// Code is the stable name of a finding: an interface that people search for and silence.
type Code uint8

// The codes, in the order of the catalogue. The zero Code is none.
const (
	EmptyMessage Code = iota + 1
	UnknownTag
	EmptyBody
	ByteOrderMark
	NotUTF8
	JSONSyntax
	JSONTruncated
	TrailingData
	TooDeep
	NumberRange
	LoneSurrogate
	NotAnObject
	MethodMissing
	MethodType
	ParamsType
	MetaType
	DuplicateMember
	ErrorShape
	IDPresent
	IDNull
	JSONRPCVersion
	ParamsNull
	PositionalArray
	CaseVariant
	SnakeCase
	EscapedName
	MetaMisplaced
	RequestMethod
	WrongDirection
	NearMiss
	ForeignMethod
	CustomMethod
	ReservedMethod
	EmptyMethod
	ParamsMisfit
	OptionalNull
	UnsafeInteger
	RelativeURI
	CancelledWithoutRequest
	CancelsWork
	ReplacementCharacter
	ControlText
	OldMethod
	ErrorCode
	ProgressNotIncreasing
	ProgressOverTotal
	ProgressAfterCancel
	TokenTwins
	TaskAfterEnd
	RepeatedMessage
	AfterError
	ReceiverStopped
	NotServed
	TextMessage
	Fragmented
	CloseCode
	RequestsMessage
	AskTruncated
	AskUnknownKind
	AskTrailing
	CaptureTorn
	CaptureGap
	StateCapped
	FrameTooLarge
	Oversize
	BrokenWebSocket

	numCodes
)

type codeInfo struct {
	name     string
	layer    Layer
	severity Severity
}

// codeTable holds each code's name, layer and usual severity.
var codeTable = [numCodes]codeInfo{
	EmptyMessage:            {"empty-message", LayerBytes, Error},
	UnknownTag:              {"unknown-tag", LayerBytes, Error},
	EmptyBody:               {"empty-body", LayerBytes, Error},
	ByteOrderMark:           {"byte-order-mark", LayerBytes, Error},
	NotUTF8:                 {"not-utf8", LayerBytes, Error},
	JSONSyntax:              {"json-syntax", LayerJSON, Error},
	JSONTruncated:           {"json-truncated", LayerJSON, Error},
	TrailingData:            {"trailing-data", LayerJSON, Error},
	TooDeep:                 {"too-deep", LayerJSON, Error},
	NumberRange:             {"number-range", LayerJSON, Error},
	LoneSurrogate:           {"lone-surrogate", LayerJSON, Error},
	NotAnObject:             {"not-an-object", LayerEnvelope, Error},
	MethodMissing:           {"method-missing", LayerEnvelope, Error},
	MethodType:              {"method-type", LayerEnvelope, Error},
	ParamsType:              {"params-type", LayerEnvelope, Error},
	MetaType:                {"meta-type", LayerEnvelope, Error},
	DuplicateMember:         {"duplicate-member", LayerEnvelope, Warning},
	ErrorShape:              {"error-shape", LayerParams, Error},
	IDPresent:               {"id-present", LayerEnvelope, Warning},
	IDNull:                  {"id-null", LayerEnvelope, Warning},
	JSONRPCVersion:          {"jsonrpc-version", LayerEnvelope, Warning},
	ParamsNull:              {"params-null", LayerEnvelope, Info},
	PositionalArray:         {"positional-array", LayerEnvelope, Warning},
	CaseVariant:             {"case-variant", LayerEnvelope, Warning},
	SnakeCase:               {"snake-case", LayerParams, Warning},
	EscapedName:             {"escaped-name", LayerEnvelope, Info},
	MetaMisplaced:           {"meta-misplaced", LayerEnvelope, Warning},
	RequestMethod:           {"request-method", LayerEnvelope, Warning},
	WrongDirection:          {"wrong-direction", LayerEnvelope, Warning},
	NearMiss:                {"near-miss", LayerEnvelope, Warning},
	ForeignMethod:           {"foreign-method", LayerEnvelope, Info},
	CustomMethod:            {"custom-method", LayerEnvelope, Info},
	ReservedMethod:          {"reserved-method", LayerEnvelope, Warning},
	EmptyMethod:             {"empty-method", LayerEnvelope, Warning},
	ParamsMisfit:            {"params-misfit", LayerParams, Warning},
	OptionalNull:            {"optional-null", LayerParams, Info},
	UnsafeInteger:           {"unsafe-integer", LayerParams, Warning},
	RelativeURI:             {"relative-uri", LayerParams, Warning},
	CancelledWithoutRequest: {"cancelled-without-request", LayerParams, Warning},
	CancelsWork:             {"cancels-work", LayerParams, Info},
	ReplacementCharacter:    {"replacement-character", LayerParams, Info},
	ControlText:             {"control-text", LayerParams, Info},
	OldMethod:               {"old-method", LayerParams, Info},
	ErrorCode:               {"error-code", LayerParams, Info},
	ProgressNotIncreasing:   {"progress-not-increasing", LayerSession, Warning},
	ProgressOverTotal:       {"progress-over-total", LayerSession, Warning},
	ProgressAfterCancel:     {"progress-after-cancel", LayerSession, Info},
	TokenTwins:              {"token-twins", LayerSession, Info},
	TaskAfterEnd:            {"task-after-end", LayerSession, Warning},
	RepeatedMessage:         {"repeated-message", LayerSession, Info},
	AfterError:              {"after-error", LayerSession, Error},
	ReceiverStopped:         {"receiver-stopped", LayerSession, Warning},
	NotServed:               {"not-served", LayerSession, Warning},
	TextMessage:             {"text-message", LayerWire, Warning},
	Fragmented:              {"fragmented", LayerWire, Warning},
	CloseCode:               {"close-code", LayerWire, Warning},
	RequestsMessage:         {"requests-message", LayerWire, Error},
	AskTruncated:            {"ask-truncated", LayerBytes, Error},
	AskUnknownKind:          {"ask-unknown-kind", LayerEnvelope, Warning},
	AskTrailing:             {"ask-trailing", LayerEnvelope, Info},
	CaptureTorn:             {"capture-torn", LayerWire, Warning},
	CaptureGap:              {"capture-gap", LayerWire, Warning},
	StateCapped:             {"state-capped", LayerSession, Info},
	FrameTooLarge:           {"frame-too-large", LayerWire, Warning},
	Oversize:                {"oversize", LayerWire, Error},
	BrokenWebSocket:         {"broken-websocket", LayerWire, Error},
}

// String returns the code as people write it, "unknown-tag" for instance.
func (c Code) String() string {
	if c > 0 && c < numCodes {
		return codeTable[c].name
	}
	return fmt.Sprintf("code %d", c)
}

// Layer returns the layer that the code belongs to.
func (c Code) Layer() Layer {
	if c < numCodes {
		return codeTable[c].layer
	}
	return 0
}

// Severity returns the code's usual severity; a finding may carry another where the catalogue says so.
func (c Code) Severity() Severity {
	if c < numCodes {
		return codeTable[c].severity
	}
	return 0
}

// ParseCode finds the code of that name.
func ParseCode(name string) (Code, bool) {
	for c := Code(1); c < numCodes; c++ {
		if codeTable[c].name == name {
			return c, true
		}
	}
	return 0, false
}

// Codes returns every code in the order of the catalogue.
func Codes() []Code {
	codes := make([]Code, 0, numCodes-1)
	for c := Code(1); c < numCodes; c++ {
		codes = append(codes, c)
	}
	return codes
}
