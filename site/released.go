package site

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"locktorture/ledger"
)

// A source has the released versions of libraries, and gives a program one of them.
type source interface {
	// releases returns the versions of a library, whatever their order.
	releases(ctx context.Context, library string) ([]string, error)
	// build makes the program of a finding with a version in an empty directory.
	build(ctx context.Context, f Finding, version, dir string) (program, error)
}

// A program is one that can be run.
type program struct {
	command []string
	dir     string
	day     string // on which the library's version was released; "": not known
	others  string // the further libraries that it was made with
}

// A notBuiltError says why a program and a version do not go together.
type notBuiltError struct{ why string }

func (e *notBuiltError) Error() string { return e.why }

// released orders versions, oldest first. Pre-releases are left out, but for those after which no
// release has come.
func released(versions []string) (list []string) {
	sorted := slices.Clone(versions)
	slices.SortFunc(sorted, ledger.CompareVersions)
	last := -1
	for i, v := range sorted {
		if !ledger.IsPreRelease(v) {
			last = i
		}
	}
	for i, v := range sorted {
		if i > last || !ledger.IsPreRelease(v) {
			list = append(list, v)
		}
	}
	return list
}

// between returns the versions from one to another; "" sets no bound.
func between(versions []string, from, to string) []string {
	return slices.DeleteFunc(slices.Clone(versions), func(v string) bool {
		return from != "" && ledger.CompareVersions(v, from) < 0 || to != "" && ledger.CompareVersions(v, to) > 0
	})
}

// call runs a program of a package registry and returns what it prints. Its error is a
// notBuiltError, unless the registry could not be asked.
func call(ctx context.Context, dir string, env []string, words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(cmd.Environ(), env...), time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	exited := new(exec.ExitError)
	switch {
	case err == nil:
		return string(out), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", strings.Join(words[:2], " "), ctx.Err())
	case !errors.As(err, &exited):
		return "", err
	}
	why := complaint(strings.ReplaceAll(said.String(), dir+"/", ""))
	if unreachable.MatchString(said.String()) {
		return "", fmt.Errorf("%s: the registry cannot be asked: %s", strings.Join(words[:2], " "), why)
	}
	return "", &notBuiltError{why}
}

// unreachable matches what is said where the network or the registry is at fault, and not a version. What a
// compiler says of a program, which may have a name with "Timeout", is none of it.
var unreachable = regexp.MustCompile(`\b(dial tcp|no such host|[Cc]onnection (refused|reset|timed out)|proxyconnect tcp|[Nn]o space left on device)\b|` +
	`\b(i/o|TLS handshake|[Nn]etwork) timeout\b|\b(Client\.Timeout|context deadline) exceeded\b|\bcode (EAI_AGAIN|ENOTFOUND|ECONN\w+|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b|` +
	`\b(403 Forbidden|429 Too Many Requests|50\d (Internal|Bad|Service|Gateway))\b`)

// noise matches lines of go and npm that say nothing of a cause.
var noise = regexp.MustCompile(`^(go: (downloading|added|upgraded|downgraded|found|finding|trying)|# |npm (ERR!|error) (code|A complete log|errno|syscall)|\s*$)`)

// complaint is the first lines of an output that say something of a cause, as one.
func complaint(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); !noise.MatchString(line) && len(lines) < 2 {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return brief(strings.Join(lines, "; "))
}

// brief is a reason as the ledger keeps it: valid, without control characters, and not long.
func brief(why string) string {
	why = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(why, " "))
	for len(why) > mostReason {
		why = strings.TrimSpace(strings.ToValidUTF8(why[:mostReason-len("…")], "")) + "…"
	}
	if why == "" {
		return "it says nothing"
	}
	return why
}

// mostReason is how many bytes of a reason are kept.
const mostReason = 240
