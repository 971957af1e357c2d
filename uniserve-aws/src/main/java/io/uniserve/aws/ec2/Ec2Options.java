package io.uniserve.aws.ec2;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Settings of section {@code coordinator.scaling.ec2}.
 *
 * @param region empty for that of the SDK's chain
 * @param endpoint address of another service with EC2's interface; empty for AWS
 * @param subnets subnets that are tried in this order; empty for that of the template
 * @param instanceTypes types that are tried in this order, each in all subnets; empty for that of the template
 * @param spot true for spot instances
 */
record Ec2Options(
        Optional<String> region,
        Optional<URI> endpoint,
        List<String> subnets,
        List<String> instanceTypes,
        boolean spot) {
    private static final String SECTION = "uniserve.coordinator.scaling.ec2.";
    private static final int TRIES_MAX = 64;

    Ec2Options {
        subnets = List.copyOf(subnets);
        instanceTypes = List.copyOf(instanceTypes);
    }

    /** One combination of type and subnet; an empty text leaves the choice to the template. */
    record Place(String instanceType, String subnet) {}

    /** Reads the settings. Fails with INVALID_CONFIGURATION for a wrong value. */
    static Ec2Options of(Map<String, String> options) {
        String spot = options.getOrDefault("spot", "false");
        if (!spot.equals("true") && !spot.equals("false")) {
            throw wrong("spot", spot, "true or false");
        }
        List<String> subnets = list(options, "subnets", "subnet-[0-9a-f]+", "ids of subnets, such as subnet-0a1b2c3d");
        List<String> types = list(options, "instance-types", "[a-z0-9-]+\\.[a-z0-9-]+", "types, such as m7g.large");
        if (Math.max(1, subnets.size()) * Math.max(1, types.size()) > TRIES_MAX) {
            throw wrong(
                    "subnets",
                    subnets.size() + " with " + types.size() + " types",
                    "at most " + TRIES_MAX + " combinations");
        }
        return new Ec2Options(
                text(options, "region"),
                text(options, "endpoint").map(Ec2Options::endpoint),
                subnets,
                types,
                spot.equals("true"));
    }

    private static Optional<String> text(Map<String, String> options, String key) {
        return Optional.of(options.getOrDefault(key, "").strip()).filter(text -> !text.isEmpty());
    }

    private static URI endpoint(String text) {
        if (!text.matches("https?://[A-Za-z0-9.:-]+/?")) {
            throw wrong("endpoint", text, "http://HOST:PORT or https://HOST");
        }
        return URI.create(text);
    }

    private static List<String> list(Map<String, String> options, String key, String pattern, String expected) {
        List<String> values = Stream.of(options.getOrDefault(key, "").split(","))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .toList();
        for (String value : values) {
            if (!value.matches(pattern)) {
                throw wrong(key, value, expected);
            }
        }
        if (values.stream().distinct().count() < values.size()) {
            throw wrong(key, String.join(",", values), "each once");
        }
        return values;
    }

    private static UniserveException wrong(String key, String value, String expected) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION, SECTION + key + " is \"" + value + "\": use " + expected);
    }

    /** All combinations of types and subnets, in the order in which they are tried. */
    List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (String type : instanceTypes.isEmpty() ? List.of("") : instanceTypes) {
            for (String subnet : subnets.isEmpty() ? List.of("") : subnets) {
                places.add(new Place(type, subnet));
            }
        }
        return places;
    }
}
