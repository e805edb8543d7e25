package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/internal/programs"
	"locktorture/matrix/inpod"
	"locktorture/runs"
)

// kubernetesProgram is all that needs client-go, which most never use: a program of its own.
func kubernetesProgram() programs.Program {
	return programs.Program{Name: "torture-kubernetes", What: "torture-kubernetes", Dir: "matrix/kubernetes", Package: "torture-kubernetes"}
}

func newKubernetes() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kubernetes",
		Short: "prepare or clean up a cluster for torture matrix --on kubernetes",
		Long: `kubernetes prepares a cluster for torture matrix --on kubernetes, and cleans the cluster
up. manifest prints the namespace and the rights that a matrix needs. clean removes
the leftovers of killed matrices.`,
		Args: cli.NoArgs,
	}
	cmd.AddCommand(newKubernetesManifest(), newKubernetesClean(), newKubernetesCell())
	return cmd
}

func newKubernetesManifest() *cobra.Command {
	var namespace string
	cmd := &cobra.Command{
		Use:   "manifest",
		Short: "print YAML: a namespace for matrices, and an account that may run matrices there",
		Example: `  torture kubernetes manifest --namespace torture > torture.yaml
  kubectl apply -f torture.yaml`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inpod.Manifest(cmd.OutOrStdout(), namespace)
		},
	}
	cmd.Flags().StringVar(&namespace, "namespace", "torture", "`name` of the namespace")
	return cmd
}

func newKubernetesClean() *cobra.Command {
	var s clusterSpec
	var job string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "delete the Jobs of killed matrices in a namespace",
		Long: `clean deletes the ended Jobs of matrices, with their pods and the output of these pods. A
torture matrix may still wait for a Job that has not ended. So clean deletes such a Job
only if --job names the Job.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cleanKubernetes(cmd, inpod.Order{Kubeconfig: s.Kubeconfig, Namespace: s.Namespace, Job: job})
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringVar(&job, "job", "", "delete only the Job with this `name`, even if the Job has not ended")
	return cmd
}

// newKubernetesCell is what pods do.
func newKubernetesCell() *cobra.Command {
	return &cobra.Command{
		Use:    "cell FILE",
		Short:  "make one run of a matrix, as a pod does",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := inpod.Cell(cmd.Context(), os.Stdout, args[0])
			if err != nil {
				return err
			}
			return exit.Silent(code)
		},
	}
}

// notThere marks it as the user's error that a program is not there and cannot be built, unless the
// build was interrupted.
func notThere(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return runs.Broken(err)
	}
	return exit.Usage("%w", err)
}

// cleanKubernetes lets the program clean a namespace.
func cleanKubernetes(cmd *cobra.Command, o inpod.Order) error {
	path, err := kubernetesProgram().Path(cmd.Context())
	if err != nil {
		return notThere(cmd.Context(), err)
	}
	order, err := json.Marshal(o)
	if err != nil {
		return runs.Broken(err)
	}
	p := exec.CommandContext(cmd.Context(), path, "clean")
	var said bytes.Buffer
	p.Stdin, p.Stdout, p.Stderr = bytes.NewReader(order), cmd.OutOrStdout(), &said
	failed := (*exec.ExitError)(nil)
	switch err := p.Run(); {
	case err != nil && cmd.Context().Err() != nil:
		return runs.Broken(fmt.Errorf("%s: %w", path, cmd.Context().Err()))
	case errors.As(err, &failed) && failed.ExitCode() > 0:
		return exit.With(failed.ExitCode(), errors.New(string(bytes.TrimSpace(said.Bytes()))))
	case err != nil:
		return runs.Broken(err)
	}
	return nil
}
