package io.uniserve.placement;

import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Objects;

/**
 * Result of a {@link ScalingPolicy}.
 *
 * @param add number of servers to launch
 * @param remove servers to drain and to terminate
 * @param reason reason in words, with figures, for operators
 */
public record ScalingDecision(int add, List<ServerId> remove, String reason) {
    public ScalingDecision {
        remove = List.copyOf(remove);
        Objects.requireNonNull(reason, "the reason of a decision");
    }

    /** No change. */
    public static ScalingDecision none(String reason) {
        return new ScalingDecision(0, List.of(), reason);
    }

    /** More servers. */
    public static ScalingDecision add(int servers, String reason) {
        return new ScalingDecision(servers, List.of(), reason);
    }

    /** One server less. */
    public static ScalingDecision remove(ServerId server, String reason) {
        return new ScalingDecision(0, List.of(server), reason);
    }

    /** True if nothing is to change. */
    public boolean isNone() {
        return add == 0 && remove.isEmpty();
    }
}
