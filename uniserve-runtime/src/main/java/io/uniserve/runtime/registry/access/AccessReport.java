package io.uniserve.runtime.registry.access;

import java.util.Optional;

/**
 * Result of a walk over the access lists of a cluster's folder.
 *
 * @param nodes number of nodes
 * @param changed number of nodes whose list was set
 * @param open number of nodes that others may change too
 * @param foreign number of nodes that this process may not change; their children are not counted
 * @param firstOpen first open node, and who may change it
 * @param firstForeign first foreign node, and its owner
 */
public record AccessReport(
        int nodes, int changed, int open, int foreign, Optional<String> firstOpen, Optional<String> firstForeign) {
    /** Report of a walk without nodes. */
    public static final AccessReport NONE = new AccessReport(0, 0, 0, 0, Optional.empty(), Optional.empty());

    /** True if only this process's identity may change nodes. */
    public boolean isProtected() {
        return open == 0 && foreign == 0;
    }
}
