package io.uniserve.runtime.transport.http;

import io.grpc.Context;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.Right;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.config.MetricsSettings.Access;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.server.CallerRules;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decision which callers get which HTTP route. Each request is judged anew, so revocations, new rules and the end of a certificate hold on
 * open connections too. Thread-safe; never blocks.
 */
public final class RouteAccess {
    private static final String HOW_TO =
            "use the certificate of a user with role monitor: uniserve security issue user NAME, uniserve grant NAME monitor";

    private final MetricsSettings settings;
    private final ReloadingTls tls;
    private volatile @Nullable Rules rules;

    private record Rules(AccessControl access, CallerRules callers) {}

    /** Creates the decision of a listener with these settings. */
    public RouteAccess(MetricsSettings settings, ReloadingTls tls) {
        this.settings = settings;
        this.tls = tls;
    }

    /** Uses these rules. Before, routes that need a right are refused. */
    public void setRules(AccessControl access, String cluster) {
        rules = new Rules(access, new CallerRules(cluster));
    }

    /**
     * Checks that the caller gets the route, and writes a refusal to the audit log. A certificate that is not accepted is refused everywhere.
     *
     * @throws UniserveException UNAUTHORIZED if it does not; UNAVAILABLE if this process does not know the rules yet
     */
    public void check(HttpRoute route, HttpCaller caller) {
        Rules known = rules;
        boolean anyone = route.callers() == Callers.ANYONE;
        if (isOpen(caller) || anyone && (known == null || caller.chain().isEmpty())) {
            return;
        }
        if (known == null) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this process starts: try again");
        }
        Optional<String> why = refusal(known, route, caller);
        if (why.isPresent()) {
            known.access.audit().refused(caller.principal(), caller.address(), route.action(), "", why.get());
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    (caller.principal().isEmpty() ? caller.address() : caller.principal()) + " may not call "
                            + route.action() + ": " + why.get());
        }
        if (!anyone) {
            judged(known, route, caller).check(route.right(), Optional.empty());
        }
    }

    /** True if the caller may see details in the pages for anyone. */
    public boolean maySeeDetails(HttpCaller caller) {
        HttpRoute route = HttpRoute.METRICS;
        Rules known = rules;
        return isOpen(caller)
                || known != null
                        && refusal(known, route, caller).isEmpty()
                        && judged(known, route, caller).permits(Right.MONITOR, Optional.empty());
    }

    /** True if the settings permit all routes to everyone. A listener with TLS needs it for routes that are not for anyone. */
    private boolean isOpen(HttpCaller caller) {
        return settings.access() == Access.ANYONE && settings.tls() == caller.encrypted();
    }

    /** Why the caller does not get the route, whatever its rights are; empty if they decide. */
    private Optional<String> refusal(Rules known, HttpRoute route, HttpCaller caller) {
        if (settings.tls() && !caller.encrypted()) {
            return Optional.of("the page needs https");
        }
        if (caller.chain().isEmpty() && route.callers() != Callers.ANYONE) {
            return Optional.of("it has no certificate: " + HOW_TO);
        }
        if (!caller.chain().isEmpty() && !tls.accepts(caller.chain())) {
            return Optional.of("its certificate has ended, or no authority of tls.trust-file covers it");
        }
        return caller.subject()
                .flatMap(known.access::revocation)
                .or(() -> known.callers.refusal(caller.identity(), route.callers()));
    }

    private static AccessControl.Caller judged(Rules known, HttpRoute route, HttpCaller caller) {
        Context context = known.access.with(caller.identity(), caller.address(), route.action());
        Context before = context.attach();
        try {
            return known.access.current();
        } finally {
            context.detach(before);
        }
    }
}
