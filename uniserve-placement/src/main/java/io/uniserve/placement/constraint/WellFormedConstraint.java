package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.ArrayList;
import java.util.List;

/** Constraint: every actor is present, on existing and distinct servers, with finite shares that add up to 1. */
public final class WellFormedConstraint implements Constraint {
    private static final double ERROR_MAX = 1e-6;

    @Override
    public String name() {
        return "form";
    }

    @Override
    public boolean isHard() {
        return true;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        if (after.actors() != in.actors()) {
            return List.of("the proposal has " + after.actors() + " actors, the cluster " + in.actors());
        }
        List<String> found = new ArrayList<>();
        for (int i = 0; i < after.actors() && found.size() < REPORTED_MAX; i++) {
            double sum = 0;
            for (int p = 0; p < after.replicas(i); p++) {
                int server = after.server(i, p);
                if (server < 0 || server >= in.servers()) {
                    found.add("actor " + i + " is on server " + server + ", which does not exist");
                } else if (p > 0 && server == after.server(i, p - 1)) {
                    found.add("actor " + i + " is on server " + server + " twice");
                }
                sum += after.share(i, p) >= 0 ? after.share(i, p) : Double.NaN;
            }
            if (after.replicas(i) > 0 && !(Math.abs(sum - 1) <= ERROR_MAX)) {
                found.add("the shares of actor " + i + " add up to " + sum + ", not to 1");
            }
        }
        return found;
    }
}
