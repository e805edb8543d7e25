// Command torture-kubernetes is what torture starts for matrix --on kubernetes, and for torture
// kubernetes: all that needs client-go. It has no use of its own.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/matrix/kubernetes"
)

func main() {
	klog.SetLogger(logr.Discard())
	err := run(os.Args[1:])
	if err == nil {
		return
	}
	code := exit.BadUsage
	if e := (*exit.Error)(nil); errors.As(err, &e) {
		code = e.Code
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(code)
}

func run(args []string) error {
	if len(args) == 0 {
		return exit.Usage("torture starts this program; see torture matrix --help")
	}
	switch args[0] {
	case "check":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		e, err := executor(os.Stdin)
		if err != nil {
			return err
		}
		return e.Check(ctx)
	case "execute":
		// The matrix says when it is interrupted: what the terminal sends is for that.
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		return matrix.Serve(talk{os.Stdin, os.Stdout}, func() { os.Exit(exit.Harness) }, execute)
	case "clean":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return clean(ctx, os.Stdin, os.Stdout)
	}
	return exit.Usage("torture-kubernetes has no %s: its version differs from the version of torture", args[0])
}

// executor reads what torture tells of a matrix.
func executor(in io.Reader) (*kubernetes.Executor, error) {
	var o kubernetes.Order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return nil, exit.Broken(err)
	}
	return o.Executor(os.Stderr)
}

func execute(ctx context.Context, config json.RawMessage, q matrix.Queue) error {
	var o kubernetes.Order
	if err := json.Unmarshal(config, &o); err != nil {
		return exit.Broken(err)
	}
	e, err := o.Executor(os.Stderr)
	if err != nil {
		return err
	}
	return e.Execute(ctx, q)
}

// clean deletes what killed matrices have left.
func clean(ctx context.Context, in io.Reader, out io.Writer) error {
	var o kubernetes.Order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return exit.Broken(err)
	}
	c, namespace, err := kubernetes.Connect(o.Kubeconfig, o.Namespace)
	if err != nil {
		return err
	}
	gone, runs, err := kubernetes.Clean(ctx, c, namespace, o.Job)
	for _, name := range gone {
		fmt.Fprintf(out, "removed Job %s, left by a killed matrix\n", name)
	}
	for _, name := range runs {
		fmt.Fprintf(out, "Job %s still runs: torture matrix --job %s continues it, torture kubernetes clean --job %s deletes it\n", name, name, name)
	}
	return err
}

// A talk is this process's end of the conversation with torture.
type talk struct {
	io.ReadCloser
	out io.WriteCloser
}

func (t talk) Write(b []byte) (int, error) { return t.out.Write(b) }
