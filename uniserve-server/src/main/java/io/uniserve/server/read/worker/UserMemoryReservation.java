package io.uniserve.server.read.worker;

/** Bytes of results that a query of a user holds. For one thread. */
public final class UserMemoryReservation implements AutoCloseable {
    private final UserMemoryBudget budget;
    private final String user;
    private final long bytes;

    private UserMemoryReservation(UserMemoryBudget budget, String user, long bytes) {
        this.budget = budget;
        this.user = user;
        this.bytes = bytes;
    }

    /**
     * Reserves bytes, or fails as {@link UserMemoryBudget#reserve} does.
     *
     * @param user empty for work without a user
     */
    public static UserMemoryReservation of(UserMemoryBudget budget, String user, long bytes) {
        budget.reserve(user, bytes, 0);
        return new UserMemoryReservation(budget, user, bytes);
    }

    @Override
    public void close() {
        budget.release(user, bytes);
    }
}
