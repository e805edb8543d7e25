package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"locktorture/internal/exit"
)

// Check asks the API server whether it would take a Job, without making one, so that a matrix
// that cannot begin says so before it does.
func (e *Executor) Check(ctx context.Context) error {
	_, err := e.cluster.Jobs.Create(ctx, e.job("torture-check", 1, 0), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil {
		_, err = e.cluster.Pods.List(ctx, metav1.ListOptions{Limit: 1, LabelSelector: ownerLabel + "=" + ownerName})
	}
	return e.explain(err, "make a Job")
}

// explain returns an error of the API server in the words of a user, with what helps.
func (e *Executor) explain(err error, doing string) error {
	ns, status := e.cfg.Namespace, apierrors.APIStatus(nil)
	switch coded := (*exit.Error)(nil); {
	case err == nil:
		return nil
	case errors.As(err, &coded):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return exit.Broken(fmt.Errorf("%s: %w", doing, err))
	case apierrors.IsUnauthorized(err):
		return exit.Usage("--kubeconfig: %s does not know this user: %v; give a file whose token or certificate is valid", e.cluster.Server, err)
	case apierrors.IsForbidden(err):
		return exit.Usage("--namespace %s: this user may not %s: %v; torture kubernetes manifest --namespace %s prints the Role that is needed", ns, doing, err, ns)
	case apierrors.IsNotFound(err) && errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == "namespaces":
		return exit.Usage("--namespace %s: it does not exist at %s; torture kubernetes manifest --namespace %s prints its YAML", ns, e.cluster.Server, ns)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return exit.Usage("%s: the API server refuses it: %v", doing, err)
	case passing(err):
		return exit.Broken(fmt.Errorf("the API server at %s does not answer: %w; --kubeconfig names another, --resume continues", e.cluster.Server, err))
	}
	return exit.Broken(fmt.Errorf("%s: %w", doing, err))
}

// passing reports whether an error is of an API server that is away or not ready: the same may
// succeed later.
func passing(err error) bool {
	if apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) {
		return true
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code >= http.StatusInternalServerError
	}
	return errors.As(err, new(net.Error)) || errors.As(err, new(*url.Error))
}

// cannotStart says why a pod will not start without help; "" if it may.
func (e *Executor) cannotStart(p *corev1.Pod) string {
	for _, c := range p.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil {
			switch w.Reason {
			case "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName":
				return fmt.Sprintf("--pod-image %s: node %s cannot get it (%s: %s); push it to a registry that the nodes reach, or name another", e.cfg.Image, p.Spec.NodeName, w.Reason, w.Message)
			case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
				return fmt.Sprintf("node %s cannot start %s (%s: %s)", p.Spec.NodeName, e.cfg.Image, w.Reason, w.Message)
			}
		}
		if t := c.State.Terminated; t != nil && (t.Reason == "StartError" || t.Reason == "ContainerCannotRun") {
			return fmt.Sprintf("--pod-image %s: torture does not start in it: %s; build one with the Dockerfile (docs/kubernetes.md)", e.cfg.Image, t.Message)
		}
	}
	return ""
}

// waits says what a pod waits for; "" if nothing is known of it.
func waits(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return "no node takes a pod: " + c.Message + remedy(c.Message)
		}
	}
	return ""
}

// remedy says what helps against what a scheduler says of its nodes.
func remedy(message string) (text string) {
	for _, r := range []struct{ has, helps string }{
		{"Insufficient", "use smaller --requests or fewer --jobs"},
		{"taint", "the pods tolerate no taint: add a node without one. A node has a taint until it is ready"},
	} {
		if strings.Contains(message, r.has) {
			text += "; " + r.helps
		}
	}
	return text
}

// ended says how a pod came to its end.
func ended(p *corev1.Pod) string {
	for _, c := range p.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil {
			return fmt.Sprintf("its pod on node %s ended with code %d (%s)", p.Spec.NodeName, t.ExitCode, t.Reason)
		}
	}
	return fmt.Sprintf("its pod on node %s failed: %s %s", p.Spec.NodeName, p.Status.Reason, p.Status.Message)
}

// exitCodeOf returns the exit code of a pod that has ended.
func exitCodeOf(p *corev1.Pod) (int, bool) {
	for _, c := range p.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil {
			return int(t.ExitCode), true
		}
	}
	return 0, false
}

// disrupted reports whether the cluster itself took a pod away: an eviction, a drained node.
func disrupted(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
