package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
	"locktorture/matrix/inpod"
	"locktorture/report"
	"locktorture/report/scorecard"
)

const (
	logTime = 2 * time.Minute // to read a log
	looks   = 3               // at a log that is not whole: kubelets write it while it is read
)

// fetch reads the log of a pod, beside others, and ends its try. The caller holds the lock.
func (c *collector) fetch(ctx context.Context, i int, x *index, p *corev1.Pod) {
	if x.asked {
		return
	}
	x.asked = true
	ctx = context.WithoutCancel(ctx) // what there is is kept, whoever interrupts
	c.fetching.Go(func() {
		c.slots <- struct{}{}
		defer func() { <-c.slots }()
		r, err := c.read(ctx, p.Name)
		t, ok := c.judge(x, p, r, err)
		c.mu.Lock()
		defer c.mu.Unlock()
		if !ok {
			return // of another round
		}
		delete(c.open, i)
		c.q.End(t)
		if len(c.open) == 0 {
			c.finish()
		}
	})
}

// judge says what a try came to whose pod has ended. ok is false where nothing is known of it,
// although the pod had a verdict.
func (c *collector) judge(x *index, p *corev1.Pod, r inpod.Result, err error) (t scorecard.Try, ok bool) {
	switch {
	case err != nil && p.Status.Phase == corev1.PodSucceeded:
		c.e.say("%s: the log of pod %s cannot be read: %v; the run is made again", nameOf(x.try), p.Name, err)
		return t, false
	case err != nil:
		t = x.try
		t.State, t.Exit, t.Reason = scorecard.HarnessFailed, exit.Harness, fmt.Sprintf("%s: %v", ended(p), err)
		t.Start = p.CreationTimestamp.Time
	case nameOf(r.Try) != nameOf(x.try):
		t = x.try
		t.State, t.Exit, t.Reason = scorecard.HarnessFailed, exit.Harness, fmt.Sprintf("pod %s printed the verdict of another run: %s", p.Name, nameOf(r.Try))
	default:
		t = r.Try
		t.Args = x.try.Args
	}
	t.Pods = before(p) + 1
	if t.State == scorecard.NotServed {
		t.Reason += "; image " + c.e.cfg.Image + " lacks it: the Dockerfile makes one that has all servers"
	}
	if t.Dir == "" {
		return t, true
	}
	lost := r.Lost
	if lost == "" {
		lost = c.place(&t, p, r.Dir)
	}
	if lost != "" {
		c.e.say("%s: its run directory is lost: %s", nameOf(t), lost)
		t.Dir = ""
	}
	return t, true
}

// place unpacks a run directory beside the others. It says why it could not; "" if it did.
func (c *collector) place(t *scorecard.Try, p *corev1.Pod, packed []byte) string {
	if !filepath.IsLocal(t.Dir) {
		return fmt.Sprintf("%q is no place for it", t.Dir)
	}
	c.mu.Lock()
	if c.dirs[t.Dir] { // another pod has begun in the same millisecond
		t.Dir += "." + p.Name
	}
	c.dirs[t.Dir] = true
	c.mu.Unlock()
	dir := filepath.Join(c.e.cfg.Out, filepath.FromSlash(t.Dir))
	if err := inpod.Unpack(packed, dir); err != nil {
		return err.Error()
	}
	if err := locate(dir, p); err != nil {
		return err.Error()
	}
	return ""
}

// locate adds to run.json where the run was: its node and its image are not known before it
// has begun.
func locate(dir string, p *corev1.Pod) error {
	b, err := plainfile.ReadIn(dir, "run.json", plainfile.Data)
	if err != nil {
		return err
	}
	where := report.Pod{Node: p.Spec.NodeName, Name: p.Name}
	for _, s := range p.Status.ContainerStatuses {
		where.Image = s.ImageID
	}
	text, err := json.Marshal(where)
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(b, '}')
	if end < 0 {
		return errors.New("run.json is no object")
	}
	b = append(bytes.TrimRight(b[:end], "\n "), fmt.Sprintf(",\n  \"kubernetes\": %s\n}\n", text)...)
	return atomicfile.WriteTextIn(dir, "run.json", string(b))
}

// read reads the log of a pod, and again where it is not whole.
func (c *collector) read(ctx context.Context, pod string) (r inpod.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for n := 1; ; n++ {
		err = c.e.steady(ctx, func() error {
			ctx, cancel := context.WithTimeout(ctx, logTime)
			defer cancel()
			log, err := c.e.cluster.Log(ctx, pod)
			if err != nil {
				return err
			}
			defer log.Close()
			r, err = inpod.ReadResult(log)
			return err
		})
		if n == looks || err == nil && r.Lost == "" || err != nil && !errors.Is(err, inpod.ErrNoVerdict) {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, err
		case <-time.After(pause):
		}
	}
}
