package io.uniserve.runtime.transport.http;

import io.uniserve.model.access.Right;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import java.util.Arrays;
import java.util.Optional;

/** Route of the HTTP listener, with the callers that it is for and the right that it needs. A path that is no route has no page. */
public enum HttpRoute {
    /** All meters, for Prometheus. */
    METRICS("/metrics", Callers.EVERYONE, Right.MONITOR),
    /** Whether the daemon lives, for supervisors. */
    LIVE("/live", Callers.ANYONE, Right.CONNECT),
    /** Whether the daemon is ready, for supervisors. */
    READY("/ready", Callers.ANYONE, Right.CONNECT);

    private final String path;
    private final Callers callers;
    private final Right right;

    HttpRoute(String path, Callers callers, Right right) {
        this.path = path;
        this.callers = callers;
        this.right = right;
    }

    /** The route of a path, without its query. */
    static Optional<HttpRoute> of(String path) {
        return Arrays.stream(values()).filter(route -> route.path.equals(path)).findFirst();
    }

    /** Path, such as {@code /metrics}. */
    public String path() {
        return path;
    }

    /** Callers that the route is for, in mode closed. */
    public Callers callers() {
        return callers;
    }

    /** Right that a user needs, in mode closed. */
    public Right right() {
        return right;
    }

    /** Name in the audit log and in errors, such as {@code GET /metrics}. */
    public String action() {
        return "GET " + path;
    }
}
