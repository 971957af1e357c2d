package io.uniserve.runtime.audit;

import io.uniserve.limit.Limits;

/**
 * Event for the audit log. Texts come from callers and may contain any character. A text of more than {@link
 * Limits#AUDIT_TEXT_CHARS_MAX} characters is shortened and ends with an ellipsis; a lone surrogate becomes U+FFFD. Never pass secrets
 * or content of rows.
 *
 * @param kind group of the event
 * @param principal name of the caller; empty if unknown
 * @param address network address of the caller; empty if unknown
 * @param action name of the request, such as {@code create_table}
 * @param object object of the request, such as a table's name; may be empty
 * @param outcome result of the request
 * @param reason cause of a refusal or failure; may be empty
 */
public record AuditEvent(
        Kind kind, String principal, String address, String action, String object, Outcome outcome, String reason) {
    private static final String ELLIPSIS = "\u2026";

    /** Group of an event. */
    public enum Kind {
        /** Request that changes the cluster, a table or its options. */
        CHANGE,
        /** Request that the caller has no permission for. */
        REFUSAL,
        /** Identification of a caller. */
        LOGIN,
        /** Line of the audit log about itself: lost events, or the removal of a torn line. */
        LOG
    }

    /** Result of a request. */
    public enum Outcome {
        OK,
        REFUSED,
        FAILED
    }

    public AuditEvent {
        principal = bounded(principal);
        address = bounded(address);
        action = bounded(action);
        object = bounded(object);
        reason = bounded(reason);
    }

    static String bounded(String text) {
        String cut = text;
        if (text.length() > Limits.AUDIT_TEXT_CHARS_MAX) {
            int end = Limits.AUDIT_TEXT_CHARS_MAX - ELLIPSIS.length();
            cut = text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + ELLIPSIS;
        }
        return cut.replaceAll("\\p{Cs}", "\ufffd");
    }
}
