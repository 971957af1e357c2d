package io.uniserve.placement.policy;

import io.uniserve.placement.model.Assignment;
import java.util.List;
import java.util.Objects;

/**
 * Proposal of a policy.
 *
 * @param assignment the placement
 * @param notes remarks of the policy, e.g. that it ran out of time; one sentence each
 */
public record PlacementProposal(Assignment assignment, List<String> notes) {
    public PlacementProposal {
        Objects.requireNonNull(assignment, "a proposal needs an assignment");
        notes = List.copyOf(notes);
    }

    /** Creates a proposal without remarks. */
    public static PlacementProposal of(Assignment assignment) {
        return new PlacementProposal(assignment, List.of());
    }
}
