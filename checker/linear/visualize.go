package linear

import (
	"fmt"
	"io"
	"slices"

	"github.com/anishathalye/porcupine"
)

// around is how many operations before and after a witness are drawn.
const around = 30

// Visualize writes porcupine's page for the part of a history around a
// witness: what was under way between its operations, and a few before and
// after. It is a picture and not a verdict: what the lock was doing when the
// part begins is not in it.
func Visualize(w io.Writer, ops []Operation, name string, o Options, witness []int) error {
	m, ok := models[name]
	if !ok || m.draw == nil {
		return fmt.Errorf("visualize: no picture for the model %q", name)
	}
	if len(witness) == 0 {
		return fmt.Errorf("visualize: no witness")
	}
	part := neighbourhood(ops, witness)
	t, err := prepare(part, o.withDefaults())
	if err != nil {
		return fmt.Errorf("visualize: %w", err)
	}
	return m.draw(w, t)
}

// neighbourhood returns the operations near the witness, by call.
func neighbourhood(ops []Operation, witness []int) []Operation {
	order := byKey(len(ops), func(i int32) int64 { return ops[i].Call })
	first, last := len(order), 0
	for k, i := range order {
		if slices.Contains(witness, int(i)) {
			first, last = min(first, k), max(last, k)
		}
	}
	var part []Operation
	for k, i := range order {
		near := k >= first-around && k <= first+around || k >= last-around && k <= last+around
		if near || slices.Contains(witness, int(i)) {
			part = append(part, ops[i])
		}
	}
	return part
}

func draw[S comparable](sp spec[S], w io.Writer, t *trace) error {
	model := porcupineModel(sp, &t.opt)
	sp.drop = keepAll
	_, info := porcupine.CheckOperationsVerbose(model, porcupineOperations(sp.events(t)), t.opt.Timeout)
	return porcupine.Visualize(model, info, w)
}
