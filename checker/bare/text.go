package bare

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Text writes the verdict for a reader: the outcome, and each object with its witness.
func (v *Verdict) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s  %s (%s)\n", v.Outcome, v.File, v.Format)
	if v.Truncated {
		fmt.Fprintln(out, "warning   the end is cut off; open operations count as unknown")
	}
	if v.Unsummed {
		fmt.Fprintln(out, "warning   the history has no checksum: later changes cannot be detected")
	}
	if v.Judged == 0 {
		fmt.Fprintln(out, "  because there was nothing to judge: no operation has an outcome that proves anything")
	}
	if v.Endless {
		fmt.Fprintln(out, "warning   the history has no end: the run was killed, the file was cut off, or the run is not over; so the outcome cannot be valid")
	}
	if v.Silent > 0 {
		fmt.Fprintf(out, "  left out: %d failed operations, which say only that nothing was done\n", v.Silent)
	}
	for _, j := range v.Objects {
		fmt.Fprintf(out, "%s\n", strings.TrimSpace(fmt.Sprintf("%s  %s  model %s (%s), %d operations, decided by %s in %v",
			cmp.Or(j.Object, "the history"), j.Verdict.Outcome, j.Verdict.Model, j.Why, j.Verdict.Operations,
			cmp.Or(j.Verdict.Algorithm, "nothing"), j.Verdict.Elapsed.Round(time.Microsecond))))
		if j.Verdict.Reason != "" {
			fmt.Fprintf(out, "  because %s\n", j.Verdict.Reason)
		}
		if j.Verdict.Explanation != "" {
			fmt.Fprintf(out, "  %s\n", j.Verdict.Explanation)
		}
		for _, line := range j.Witness {
			fmt.Fprintf(out, "    %s\n", line)
		}
	}
	fmt.Fprintf(out, "checked in %v, %d MB of memory\n", time.Duration(v.Elapsed).Round(time.Microsecond), v.Memory>>20)
	return out.Flush()
}
