package kubernetes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// unheard returns the node of a pod that the cluster has not heard from for so long that it
// takes its pods for not ready; "" if there is none. By its last word the pod runs: no kubelet
// says of such a pod, which has no probe and was not told to end, that it is not ready.
func unheard(p *corev1.Pod) string {
	if p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil {
		return ""
	}
	runs := slices.ContainsFunc(p.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Running != nil })
	for _, c := range p.Status.Conditions {
		if runs && c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse {
			return p.Spec.NodeName
		}
	}
	return ""
}

// sayUnheard tells what becomes of the pods of a node that is not heard from. No other is made for
// one of them before the cluster knows that it has ended, and nobody but its node or an
// administrator can say so.
func (e *Executor) sayUnheard(node string) {
	e.say("node %[1]s does not answer; its pods may still run. So torture waits, and makes none of their runs again until the node is back or deleted. If the node stays away, delete it: "+
		"kubectl delete node %[1]s. ^C keeps the runs that have ended; --resume makes the others", node)
}
