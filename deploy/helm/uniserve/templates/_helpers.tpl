{{- define "uniserve.name" -}}
{{ printf "%s-uniserve" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}

{{- define "uniserve.labels" -}}
app.kubernetes.io/name: uniserve
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "uniserve.selector" -}}
app.kubernetes.io/name: uniserve
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "uniserve.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "uniserve.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "uniserve.identity" -}}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
{{- end -}}

{{- define "uniserve.probes" -}}
startupProbe:
  httpGet: { path: /live, port: metrics }
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /live, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /ready, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{- define "uniserve.firstIdentity" -}}
# The process renews its copy of the secret's certificate, which stays while it is newer and valid.
- name: first-identity
  image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [bash, /opt/uniserve/deploy/docker/first-identity.sh, /etc/uniserve-identity, /var/lib/uniserve/identity]
  securityContext: {{- include "uniserve.containerSecurity" . | nindent 4 }}
  resources:
    requests: { cpu: 10m, memory: 32Mi }
    limits: { memory: 64Mi }
  volumeMounts:
    - { name: identity, mountPath: /etc/uniserve-identity, readOnly: true }
    - { name: data, mountPath: /var/lib/uniserve }
{{- end -}}

{{- define "uniserve.secretMounts" -}}
- { name: identity, mountPath: /etc/uniserve-identity, readOnly: true }
{{- if .Values.zookeeper.tls.secretName }}
- { name: zookeeper, mountPath: /etc/uniserve-zookeeper, readOnly: true }
{{- end }}
{{- end -}}

{{- define "uniserve.secretVolumes" -}}
- name: identity
  secret: { secretName: {{ .Values.identities.secretName }}, defaultMode: 0400 }
{{- if .Values.zookeeper.tls.secretName }}
- name: zookeeper
  secret: { secretName: {{ .Values.zookeeper.tls.secretName }}, defaultMode: 0400 }
{{- end }}
{{- end -}}
