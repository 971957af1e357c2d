package io.uniserve.protocol.client.routing;

import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;

/** Bounded list of a request's attempts: it keeps the first and the latest ones. */
public final class AttemptLog {
    private static final int KEPT_MAX = 48;

    private final List<Attempt> attempts = new ArrayList<>();
    private int dropped;

    public void add(ServerId server, String actors, ErrorCode code, String message) {
        add(new Attempt("server " + server + " " + actors, code, message));
    }

    public void add(Attempt attempt) {
        if (attempts.size() == KEPT_MAX) {
            attempts.remove(KEPT_MAX / 2);
            dropped++;
        }
        attempts.add(attempt);
    }

    public List<Attempt> list() {
        if (dropped == 0) {
            return List.copyOf(attempts);
        }
        List<Attempt> all = new ArrayList<>(attempts);
        all.add(KEPT_MAX / 2, new Attempt(dropped + " more", ErrorCode.UNAVAILABLE, "left out"));
        return all;
    }
}
