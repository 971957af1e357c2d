package io.uniserve.benchmark.balance;

import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.error.UniserveException;
import java.util.List;

/** CPU quota per server as asked for, and as far as this machine permits it. Immutable. */
public final class ServerQuota {
    private final double asked;
    private final boolean isPossible;

    ServerQuota(double asked, boolean isPossible) {
        this.asked = asked;
        this.isPossible = isPossible;
    }

    /** @param cores quota per server; 0 for none */
    public static ServerQuota of(double cores) {
        return new ServerQuota(cores, CpuQuota.isPossible());
    }

    /** True if a quota was asked for and this process may not set it. */
    public boolean isRefused() {
        return asked > 0 && !isPossible;
    }

    /** Returns the quota that {@link #limit} sets; 0 for none. */
    public double cores() {
        return isPossible ? asked : 0;
    }

    /** Describes the quota of these processes, e.g. {@code each server has 0.1 cores (control groups)}. */
    public String describe(String one, String all) {
        return cores() > 0
                ? "each " + one + " has " + cores() + " cores (control groups)"
                : all + " have NO CPU limit" + (isRefused() ? ": control groups are not writable" : "");
    }

    /** Limits each of these processes until the result is closed; limits nothing without a quota. */
    public CpuQuota limit(List<Long> processes) {
        CpuQuota limit = new CpuQuota();
        if (cores() > 0) {
            try {
                limit.limit(processes, cores());
            } catch (UniserveException e) {
                limit.close();
                throw e;
            }
        }
        return limit;
    }
}
