package invariant

import (
	"fmt"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/internal/wire"
)

// workKey returns the key without the name of its lock.
func workKey(op *history.Op) string {
	if rest, ok := wire.KeyOf(op.Lock, op.Key); ok && op.Lock != "" {
		return rest
	}
	return op.Key
}

// torn returns the anomaly of a value that no section writes.
func torn(op *history.Op) checker.Anomaly {
	return checker.Anomaly{
		Kind: "torn-write", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(op),
		Sentence: fmt.Sprintf("%s held %q at %s (apply %d, %s), but no section writes this value", op.Key, op.Value, checker.At(op.Time), op.Apply, checker.By(op)),
	}
}

// times writes how often something happened: "twice", "3 times".
func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// client names who did a store operation, in short: "c2".
func client(op *history.Op) string {
	if op.Client == 0 {
		return fmt.Sprintf("process %d", op.Process)
	}
	return fmt.Sprintf("c%d", op.Client)
}
