package s3api

import (
	"errors"
	"fmt"
	"net/http"
)

// An Answer is one that says no.
type Answer struct {
	Status  int    `xml:"-"` // of HTTP
	Said    string `xml:"-"` // the line of the status
	Code    string // of S3: "PreconditionFailed"; "" if there is none
	Message string
}

func (a *Answer) Error() string {
	if a.Code == "" {
		return a.Said
	}
	return fmt.Sprintf("%d %s: %s", a.Status, a.Code, a.Message)
}

func answerOf(err error) (*Answer, bool) {
	var a *Answer
	ok := errors.As(err, &a)
	return a, ok
}

// NotSo reports whether an answer says that a condition did not hold, or that another
// conditional request was under way: nothing was changed.
func NotSo(err error) bool {
	a, ok := answerOf(err)
	return ok && (a.Status == http.StatusPreconditionFailed || a.Status == http.StatusConflict || absent(a))
}

// Mismatch reports whether an answer says that a condition did not hold at some moment of the
// request. One that says that another request was under way tells no such thing.
func Mismatch(err error) bool {
	a, ok := answerOf(err)
	return ok && (a.Status == http.StatusPreconditionFailed || absent(a))
}

// Absent reports whether an answer says that there is no object under the key.
func Absent(err error) bool {
	a, ok := answerOf(err)
	return ok && absent(a)
}

func absent(a *Answer) bool { return a.Status == http.StatusNotFound && a.Code != "NoSuchBucket" }

// Certain reports whether an error proves that a request changed nothing, and never will: it
// was not sent, or refused as it stood. After an error of the server's (500), or without an
// answer, it may have been carried out, or will be.
func Certain(err error) bool {
	var u *unsent
	if errors.As(err, &u) {
		return true
	}
	a, ok := answerOf(err)
	return ok && (a.Status < http.StatusInternalServerError || a.Status == http.StatusNotImplemented || a.Code == "SlowDown")
}

// An unsent is why nothing was sent.
type unsent struct{ err error }

func (u *unsent) Error() string { return "not sent: " + u.err.Error() }

// Unwrap is why.
func (u *unsent) Unwrap() error { return u.err }

// NotSent marks it.
func (u *unsent) NotSent() {}
