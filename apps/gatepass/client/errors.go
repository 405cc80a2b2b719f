package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"dossier/apps/gatepass/pass"
)

// An ErrorType is a category of failure.
type ErrorType string

// The categories. The first group is what the API answers, the second why no answer
// came, the third what is wrong before anything is sent.
const (
	BadRequest  ErrorType = "bad_request"     // 400
	NotSignedIn ErrorType = "not_signed_in"   // 401
	WrongState  ErrorType = "wrong_state"     // 403: the pass does not allow it now
	WrongRole   ErrorType = "wrong_role"      // 403: the role does not allow it
	NotFound    ErrorType = "not_found"       // 404
	Conflict    ErrorType = "conflict"        // 409
	TooLarge    ErrorType = "file_too_large"  // 413, and before sending
	Validation  ErrorType = "validation"      // 422
	TooMany     ErrorType = "too_many"        // 429
	ServerError ErrorType = "server_error"    // 500 and above
	Unavailable ErrorType = "api_unavailable" // 502, 503, 504

	Timeout ErrorType = "timeout"
	Refused ErrorType = "connection_refused"
	DNS     ErrorType = "dns_failure"
	Network ErrorType = "network"

	BadFile     ErrorType = "invalid_file_format"
	Missing     ErrorType = "missing_parameter"
	InvalidRole ErrorType = "invalid_role"
)

// An ErrorInfo says what went wrong and what to do about it, for a model or a person.
type ErrorInfo struct {
	Type     ErrorType `json:"error_type"`
	Message  string    `json:"error_message"`
	Guidance string    `json:"user_guidance"`
	Retry    bool      `json:"retry_possible"` // the same request may succeed later or once mended
	Context  Related   `json:"related_context"`
}

// Related is what an error is about.
type Related struct {
	Parameter   string   `json:"parameter,omitempty"`
	Rule        string   `json:"rule,omitempty"`
	Identifier  string   `json:"identifier,omitempty"` // the pass or notification that was asked for
	State       string   `json:"state,omitempty"`      // of the pass now
	Allowed     []string `json:"allowed_operations,omitempty"`
	AllowedFrom []string `json:"allowed_from,omitempty"` // states that allow what was asked
	FirstExit   string   `json:"first_exit,omitempty"`   // of a pass that was scanned out before
	Status      int      `json:"status,omitempty"`
	Tries       int      `json:"tries,omitempty"`
	Limit       int      `json:"limit,omitempty"`
	Role        string   `json:"role,omitempty"`
}

// A Problem is the API's error body: problem details with what a caller needs to
// go on.
type Problem struct {
	Title       string            `json:"title,omitempty"`
	Status      int               `json:"status"`
	Detail      string            `json:"detail"`
	Errors      []pass.FieldError `json:"errors,omitempty"`
	Identifier  string            `json:"identifier,omitempty"`
	State       pass.Status       `json:"state,omitempty"`
	Allowed     []pass.Op         `json:"allowed_operations,omitempty"`
	AllowedFrom []pass.Status     `json:"allowed_from,omitempty"`
	FirstExit   *time.Time        `json:"first_exit,omitempty"`
	Role        string            `json:"required_role,omitempty"`
}

// HandleError turns an error answer into what a person can act on. A body it cannot
// read costs the detail, never the category.
func HandleError(status int, body []byte) ErrorInfo {
	var p Problem
	if json.Unmarshal(body, &p) != nil {
		p = Problem{}
	}
	info := ErrorInfo{Message: p.Detail, Context: Related{
		Status: status, Identifier: p.Identifier, State: string(p.State), Role: p.Role,
		Allowed: words(p.Allowed), AllowedFrom: words(p.AllowedFrom),
	}}
	if info.Message == "" {
		info.Message = fmt.Sprintf("the API answered %d %s", status, http.StatusText(status))
	}
	if p.FirstExit != nil {
		info.Context.FirstExit = p.FirstExit.UTC().Format(time.RFC3339)
	}
	if len(p.Errors) > 0 {
		info.Context.Parameter, info.Context.Rule = p.Errors[0].Field, p.Errors[0].Rule
	}
	switch {
	case status == http.StatusForbidden && p.State != "":
		info.wrongState(p)
	case status == http.StatusForbidden:
		info.wrongRole(p)
	case status == http.StatusNotFound:
		info.notFound()
	case status == http.StatusUnprocessableEntity:
		info.validation(p)
	default:
		info.other(status)
	}
	return info
}

func words[T ~string](in []T) []string {
	out := make([]string, 0, len(in))
	for _, w := range in {
		out = append(out, string(w))
	}
	return out
}

// wrongState explains the state, which states allow the operation, and what is
// possible instead.
func (e *ErrorInfo) wrongState(p Problem) {
	e.Type = WrongState
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s now.", orThis(p.Identifier, "The pass"), p.State)
	if p.FirstExit != nil {
		fmt.Fprintf(&b, " It went out on %s.", p.FirstExit.UTC().Format("2 January 2006 at 15:04 MST"))
	}
	if len(p.AllowedFrom) > 0 {
		fmt.Fprintf(&b, " This is possible only while a pass is %s.", list(words(p.AllowedFrom), "or"))
	}
	if len(p.Allowed) > 0 {
		fmt.Fprintf(&b, " What can be done with it now: %s.", list(words(p.Allowed), "or"))
	} else {
		b.WriteString(" Nothing more can be done with it; ask HR for a new pass if one is needed.")
	}
	e.Guidance = b.String()
}

func (e *ErrorInfo) wrongRole(p Problem) {
	e.Type = WrongRole
	e.Guidance = "Your role does not allow this. Ask someone with the right permissions to do it."
	if p.Role != "" {
		e.Guidance = fmt.Sprintf("This needs different permissions: the role %s. Ask someone who holds it.", p.Role)
	}
}

func (e *ErrorInfo) notFound() {
	e.Type, e.Retry = NotFound, true
	e.Guidance = fmt.Sprintf("I could not find %s. Check it for a typing error, or ask me to list the passes or to search by the person's name.",
		orThis(e.Context.Identifier, "what you asked for"))
}

func (e *ErrorInfo) validation(p Problem) {
	e.Type, e.Retry = Validation, true
	if len(p.Errors) == 0 {
		e.Guidance = "Some of what you entered is not valid. Check it and try again."
		return
	}
	var parts []string
	for _, f := range p.Errors {
		parts = append(parts, fmt.Sprintf("%s %s%s", Plain(f.Field), f.Rule, example(f.Field)))
	}
	e.Guidance = upper(strings.Join(parts, "; ")) + ". Tell me the right value and I will try again."
}

func (e *ErrorInfo) other(status int) {
	switch {
	case status == http.StatusBadRequest:
		e.Type, e.Retry = BadRequest, true
		e.Guidance = "The API did not understand the request. Say it again with the pass number and the details in full."
	case status == http.StatusUnauthorized:
		e.Type, e.Guidance = NotSignedIn, "You are not signed in, or your sign-in has ended. Sign in and try again."
	case status == http.StatusConflict:
		e.Type, e.Retry = Conflict, true
		e.Guidance = "Someone else is changing the same thing at this moment. Look at the pass again and repeat if it is still needed."
	case status == http.StatusRequestEntityTooLarge:
		e.Type, e.Retry = TooLarge, true
		e.Guidance = "The file is larger than the API accepts. Take the photo again at a lower resolution."
	case status == http.StatusTooManyRequests:
		e.Type, e.Retry = TooMany, true
		e.Guidance = "Too many requests came at once. Wait a minute and try again."
	case status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout:
		e.Type, e.Retry = Unavailable, true
		e.Guidance = "The gate pass system is not available at the moment. Wait a few minutes and try again."
	case status >= 500:
		e.Type, e.Retry = ServerError, true
		e.Guidance = "The gate pass system had an error of its own; nothing you entered caused it. Try again, and tell its operator if it happens twice."
	default:
		e.Type, e.Guidance = BadRequest, "The API refused the request. Check what you asked for and try again."
	}
}

// networkInfo classifies why no answer came.
func networkInfo(err error, limit time.Duration) ErrorInfo {
	info := ErrorInfo{Type: Network, Message: err.Error(), Retry: true}
	dns, isDNS := errors.AsType[*net.DNSError](err)
	timeout := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		timeout = true
	}
	switch {
	case isDNS && !dns.IsTimeout:
		info.Type, info.Retry = DNS, false
		info.Context.Identifier = dns.Name
		info.Guidance = fmt.Sprintf("The address of the gate pass system (%s) does not exist. Its operator must correct the API address in the configuration.", dns.Name)
	case timeout:
		info.Type = Timeout
		info.Guidance = fmt.Sprintf("The gate pass system did not answer within %v. Check your network connection, then say \"try again\".", limit)
	case errors.Is(err, syscall.ECONNREFUSED):
		info.Type = Refused
		info.Guidance = "The gate pass system is not running, or cannot be reached from here. Check your network connection, then say \"try again\"; tell its operator if that does not help."
	case errors.Is(err, context.Canceled):
		info.Guidance = "The request was given up before an answer came. Say \"try again\" to repeat it."
	default:
		info.Guidance = "The connection to the gate pass system broke. Check your network connection, then say \"try again\"."
	}
	return info
}

// MissingParameter is the error of a call that lacks something it needs.
func MissingParameter(name string) ErrorInfo {
	return ErrorInfo{
		Type: Missing, Message: "missing required parameter " + name, Retry: true, Context: Related{Parameter: name},
		Guidance: fmt.Sprintf("I still need %s%s.", Plain(name), example(name)),
	}
}

// UnknownRole is the error of a session whose role is none.
func UnknownRole(role string, known []string) ErrorInfo {
	return ErrorInfo{
		Type: InvalidRole, Message: fmt.Sprintf("unknown role %q", role), Context: Related{Role: role},
		Guidance: fmt.Sprintf("There is no role %q. Use one of %s.", role, list(known, "or")),
	}
}

// FileProblem is the error of a photo that may not be sent.
func FileProblem(kind ErrorType, cause error, guidance string, limit int) ErrorInfo {
	return ErrorInfo{Type: kind, Message: cause.Error(), Guidance: guidance, Retry: true, Context: Related{Parameter: "photo", Limit: limit}}
}

// Plain returns the name people use for a parameter.
func Plain(parameter string) string {
	if name, ok := map[string]string{
		"person_name": "the person's name", "description": "the purpose", "is_returnable": "whether the person will return",
		"pass_number": "the pass number", "pass_id": "the pass id", "name": "your name", "photo": "the photo",
		"notification_id": "the notification's id", "status": "the status", "return_by": "the time of return", "date": "the date",
	}[parameter]; ok {
		return name
	}
	return strings.ReplaceAll(parameter, "_", " ")
}

func example(parameter string) string {
	if ex, ok := map[string]string{
		"pass_number": " (for example GP-2026-0012)", "pass_id": " (for example pass-1f0a9c3b)",
		"status": " (for example pending or approved)", "return_by": " (for example 17:30, or tomorrow 9 am)",
		"photo": " (a JPEG, PNG or HEIC file)", "person_name": " (for example Ravi Kumar)",
		"description": " (for example a visit to the bank)", "is_returnable": " (yes or no)",
	}[parameter]; ok {
		return ex
	}
	return ""
}

func orThis(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// list joins words for a sentence: "a, b or c".
func list(in []string, last string) string {
	if len(in) < 2 {
		return strings.Join(in, "")
	}
	return strings.Join(in[:len(in)-1], ", ") + " " + last + " " + in[len(in)-1]
}
