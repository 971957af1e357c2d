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
