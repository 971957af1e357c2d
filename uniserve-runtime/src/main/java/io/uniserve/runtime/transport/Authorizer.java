package io.uniserve.runtime.transport;

/** Decides who may call what; the place for roles. Called on transport threads: must not block. */
@FunctionalInterface
public interface Authorizer {
    /** Lets everybody do everything. */
    Authorizer ALLOW_ALL = (callerIdentity, method) -> true;

    /** True if the caller may call the method, e.g. {@code uniserve.Admin/Call}. */
    boolean allows(CallerIdentity callerIdentity, String method);
}
