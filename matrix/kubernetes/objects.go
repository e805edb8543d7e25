package kubernetes

import (
	"bytes"
	"cmp"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"locktorture/matrix/inpod"
	"locktorture/report/scorecard"
)

const (
	container  = "cell"
	cellsDir   = "/etc/torture"
	workDir    = "/work"                    // of the pod; all that it writes is here and in /tmp
	podLabel   = batchv1.ControllerUidLabel // of the pods of a Job
	ownerLabel = "app.kubernetes.io/managed-by"
	ownerName  = "torture"
	nameLabel  = "app.kubernetes.io/instance" // which matrix it is of

	nodeEnv = "TORTURE_NODE"
)

const (
	// tries are how often an index may fail before it is given up. What an eviction or a drained
	// node ends does not count.
	tries = 2
	// kept is how long a Job that has ended waits for a coordinator that was killed.
	kept = 24 * time.Hour
	// grace is the time that a pod gets which is told to end: it ends at once.
	grace = 5 * time.Second
	// user is who a pod runs as. The Dockerfile makes it.
	user = 65532
)

// labels returns the labels of every object that a matrix creates.
func (e *Executor) labels() map[string]string {
	return map[string]string{ownerLabel: ownerName, nameLabel: e.name}
}

// matrixOf names the matrix that a Job is of.
func matrixOf(j *batchv1.Job) string { return cmp.Or(j.Labels[nameLabel], j.Name) }

// job returns the Job of a round, suspended: its cells are not there yet.
func (e *Executor) job(name string, cells int, deadline time.Duration) *batchv1.Job {
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.cfg.Namespace, Labels: e.labels()},
		Spec: batchv1.JobSpec{
			Suspend:                 ptr.To(true),
			CompletionMode:          ptr.To(batchv1.IndexedCompletion),
			Completions:             ptr.To(int32(cells)),
			Parallelism:             ptr.To(int32(min(e.cfg.Jobs, cells))),
			BackoffLimitPerIndex:    ptr.To(int32(tries)),
			PodReplacementPolicy:    ptr.To(batchv1.Failed),
			TTLSecondsAfterFinished: ptr.To(int32(kept.Seconds())),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
				{Action: batchv1.PodFailurePolicyActionIgnore, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
					{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}},
				{Action: batchv1.PodFailurePolicyActionFailIndex, OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
					ContainerName: ptr.To(container), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{inpod.ExitRefused}}},
			}},
			Template: e.pod(name),
		},
	}
	if deadline > 0 {
		j.Spec.ActiveDeadlineSeconds = ptr.To(max(1, int64(deadline.Seconds())))
	}
	return j
}

// pod returns what each pod of a Job is: it may do nothing that it does not need, as Pod
// Security "restricted" demands, and speaks to nobody.
func (e *Executor) pod(name string) corev1.PodTemplateSpec {
	scratch := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	cells := corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: e.labels()},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
			TerminationGracePeriodSeconds: ptr.To(int64(grace.Seconds())),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(user)), RunAsGroup: ptr.To(int64(user)), FSGroup: ptr.To(int64(user)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: container, Image: e.cfg.Image, ImagePullPolicy: corev1.PullIfNotPresent,
				Command:    []string{"torture", "kubernetes", "cell", cellsDir + "/" + inpod.CellsFile},
				WorkingDir: workDir,
				Env: []corev1.EnvVar{
					{Name: "HOME", Value: workDir},
					{Name: nodeEnv, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
				},
				Resources:    corev1.ResourceRequirements{Requests: e.cfg.Requests},
				VolumeMounts: []corev1.VolumeMount{{Name: "cells", MountPath: cellsDir, ReadOnly: true}, {Name: "work", MountPath: workDir}, {Name: "tmp", MountPath: "/tmp"}},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
			Volumes: []corev1.Volume{{Name: "cells", VolumeSource: cells}, {Name: "work", VolumeSource: scratch}, {Name: "tmp", VolumeSource: scratch}},
		},
	}
}

// configMap has the tries of a Job, which owns it.
func (e *Executor) configMap(j *batchv1.Job, cells []scorecard.Try) (*corev1.ConfigMap, error) {
	var b bytes.Buffer
	if err := (inpod.Round{Out: e.cfg.Out, Wire: e.cfg.Wire, Cells: cells}).Write(&b); err != nil {
		return nil, err
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: j.Name, Namespace: j.Namespace, Labels: e.labels(),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(j, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Immutable:  ptr.To(true),
		BinaryData: map[string][]byte{inpod.CellsFile: b.Bytes()},
	}, nil
}

// indexOf returns the index of a pod in its Job.
func indexOf(p *corev1.Pod) (int, bool) {
	i, err := strconv.Atoi(p.Annotations[batchv1.JobCompletionIndexAnnotation])
	return i, err == nil
}

// before returns how many pods of its index came before a pod, as the cluster has counted them.
func before(p *corev1.Pod) (n int) {
	for _, key := range countsBefore() {
		if c, err := strconv.Atoi(p.Annotations[key]); err == nil {
			n += c
		}
	}
	return n
}

// failedBefore returns how many pods of the same index failed before a pod, as the Job counts
// them: without those that were evicted.
func failedBefore(p *corev1.Pod) int {
	n, _ := strconv.Atoi(p.Annotations[batchv1.JobIndexFailureCountAnnotation])
	return n
}

// countsBefore returns the annotations that say so: of failures, and of those that count for
// none.
func countsBefore() []string {
	return []string{batchv1.JobIndexFailureCountAnnotation, batchv1.JobIndexIgnoredFailureCountAnnotation}
}
