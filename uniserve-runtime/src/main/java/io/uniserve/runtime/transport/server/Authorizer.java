package io.uniserve.runtime.transport.server;

/** Authorization of calls, the extension point for roles. Called on transport threads: must not block. */
@FunctionalInterface
public interface Authorizer {
    /** Permits every call. */
    Authorizer ALLOW_ALL = (callerIdentity, method) -> true;

    /** True if the caller may call the method, such as {@code uniserve.Admin/Call}. */
    boolean allows(CallerIdentity callerIdentity, String method);
}
