package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/matrix/kubernetes"
)

func newKubernetes() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kubernetes",
		Short: "what torture matrix --on kubernetes needs of a cluster, and may leave there",
		Long: `kubernetes has what goes with torture matrix --on kubernetes: manifest prints the
namespace and the rights that it takes, clean removes what a killed one has left.`,
		Args: cli.NoArgs,
	}
	cmd.AddCommand(newKubernetesManifest(), newKubernetesClean(), newKubernetesCell())
	return cmd
}

func newKubernetesManifest() *cobra.Command {
	var namespace string
	cmd := &cobra.Command{
		Use:   "manifest",
		Short: "print a namespace for matrices, and an account that may run them there",
		Example: `  torture kubernetes manifest --namespace torture > torture.yaml
  kubectl apply -f torture.yaml`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return kubernetes.Manifest(cmd.OutOrStdout(), namespace)
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
		Short: "delete the Jobs that killed matrices have left in a namespace",
		Long: `clean deletes the Jobs of matrices that have ended, with their pods and what those have
printed. One that still runs may have a coordinator: --job names whose is deleted all
the same.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, namespace, err := kubernetes.Connect(s.Kubeconfig, s.Namespace)
			if err != nil {
				return err
			}
			gone, runs, err := kubernetes.Clean(cmd.Context(), c, namespace, job)
			for _, name := range gone {
				fmt.Fprintf(cmd.OutOrStdout(), "removed Job %s, left by a killed matrix\n", name)
			}
			for _, name := range runs {
				fmt.Fprintf(cmd.OutOrStdout(), "Job %s still runs: torture matrix --job %s continues it, torture kubernetes clean --job %s deletes it\n", name, name, name)
			}
			return err
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringVar(&job, "job", "", "`name` of the Job of one matrix, which is deleted whether it has ended or not")
	return cmd
}

// newKubernetesCell is what pods do.
func newKubernetesCell() *cobra.Command {
	return &cobra.Command{
		Use:    "cell FILE",
		Short:  "carry one run of a matrix out, as a pod does",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := kubernetes.Cell(cmd.Context(), os.Stdout, args[0])
			if err != nil {
				return err
			}
			return exit.Silent(code)
		},
	}
}
