package io.uniserve.placement;

import io.uniserve.error.UniserveException;

/**
 * Limits of a {@link ThresholdScalingPolicy}.
 *
 * @param removeBelow mean CPU below which a server goes, as a fraction
 * @param addAbove mean CPU above which servers are added, as a fraction
 * @param dataMax share of memory, and of disk, that the data may fill, as a fraction
 * @param step servers added at a time
 * @param serversMin minimum number of servers
 * @param serversMax maximum number of servers, at least the minimum
 * @param spareServers servers whose loss the others must bear after a removal without exceeding {@code addAbove}
 */
public record ScalingLimits(
        double removeBelow,
        double addAbove,
        double dataMax,
        int step,
        int serversMin,
        int serversMax,
        int spareServers) {
    public ScalingLimits {
        if (!(removeBelow >= 0 && removeBelow < addAbove && addAbove <= 1)) {
            throw UniserveException.invalid("remove-below " + removeBelow + " and add-above " + addAbove
                    + ": use fractions from 0 to 1, the first below the second");
        }
        if (serversMin < 1 || serversMax < serversMin) {
            throw UniserveException.invalid("servers-min " + serversMin + " and servers-max " + serversMax
                    + ": use at least 1, the first at most the second");
        }
        if (step < 1 || spareServers < 0 || !(dataMax > 0 && dataMax <= 1)) {
            throw UniserveException.invalid("step " + step + ", spare-servers " + spareServers + ", data-max " + dataMax
                    + ": use a step of at least 1, at least 0 spare servers, and a data-max above 0 and at most 1");
        }
    }

    /** The defaults of the configuration: 30 % and 70 %, data up to 80 %, one server at a time, 1 to 10 servers, one spare. */
    public static ScalingLimits defaults() {
        return new ScalingLimits(0.3, 0.7, 0.8, 1, 1, 10, 1);
    }
}
