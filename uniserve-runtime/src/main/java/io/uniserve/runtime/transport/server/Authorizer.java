package io.uniserve.runtime.transport.server;

import io.uniserve.runtime.config.SecuritySettings;

/** Authorization of calls, the extension point for roles. Called on transport threads: must not block. */
@FunctionalInterface
public interface Authorizer {
    /** Permits every call. */
    Authorizer ALLOW_ALL = (callerIdentity, method) -> true;

    /** True if the caller may call the method, such as {@code uniserve.Admin/Call}. */
    boolean allows(CallerIdentity callerIdentity, String method);

    /** Why the caller may not call the method, for the error; empty if nothing more is to say. */
    default String reason(CallerIdentity callerIdentity, String method) {
        return "";
    }

    /** The authorizer of a process of the cluster, see {@link CallerRules}. */
    static Authorizer of(SecuritySettings settings, String cluster) {
        if (!settings.closed()) {
            return ALLOW_ALL;
        }
        CallerRules rules = new CallerRules(cluster);
        return new Authorizer() {
            @Override
            public boolean allows(CallerIdentity caller, String method) {
                return rules.refusal(caller.certified(), method).isEmpty();
            }

            @Override
            public String reason(CallerIdentity caller, String method) {
                return rules.refusal(caller.certified(), method).orElse("");
            }
        };
    }
}
