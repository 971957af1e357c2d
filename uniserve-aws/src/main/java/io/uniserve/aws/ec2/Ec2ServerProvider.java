package io.uniserve.aws.ec2;

import io.uniserve.aws.ec2.Ec2Options.Place;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.env.ServerProvider;
import io.uniserve.protocol.env.ServerProvider.Launch;
import io.uniserve.protocol.env.ServerProvider.Status;
import io.uniserve.runtime.provider.BlockingServerProvider;
import io.uniserve.runtime.time.SystemClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DescribeInstancesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInstancesResponse;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.HttpTokensState;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceMetadataEndpointState;
import software.amazon.awssdk.services.ec2.model.InstanceMetadataTagsState;
import software.amazon.awssdk.services.ec2.model.InstanceStateName;
import software.amazon.awssdk.services.ec2.model.MarketType;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/**
 * Servers as instances of EC2, from a launch template. Every instance has tags with the cluster's identity, the token of its launch and the
 * server's id, set by the call that makes it. A server reads its id from these tags.
 *
 * <p>A launch first looks for an instance with its token. Then it tries the combinations of type and subnet in a fixed order, each with a
 * client token of its own, so that a repeated call with the same combination makes no second instance. It goes on to the next one only
 * when EC2 has said that it lacks capacity. A call without an answer ends the launch, and its repetition starts with the same combination.
 *
 * <p>Uniserve paper, section 4.5.
 */
final class Ec2ServerProvider implements BlockingServerProvider {
    static final String CLUSTER_TAG = "uniserve-cluster";
    static final String TOKEN_TAG = "uniserve-token";
    static final String SERVER_TAG = "uniserve-server";
    private static final String NAME_TAG = "Name";
    private static final Logger LOG = LoggerFactory.getLogger(Ec2ServerProvider.class);
    private static final int PAGE = 200;
    /** No further combination is tried later than this, so that the coordinator gets the reason before its time-out. */
    private static final long LAUNCH_NANOS_MAX = 8_000_000_000L;

    private final Ec2Client client;
    private final Ec2Options options;

    /** Index of the combination that the repetition of a launch must try first, by token: the one that may have made an instance. */
    private final Map<String, Integer> doubtful = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > Limits.SCALING_INSTANCES_MAX;
        }
    };

    Ec2ServerProvider(Ec2Client client, Ec2Options options) {
        this.client = client;
        this.options = options;
    }

    @Override
    public String name() {
        return "ec2";
    }

    @Override
    public ServerProvider.Instance launch(Launch launch) {
        LaunchTemplate template = LaunchTemplate.parse(launch.template());
        Optional<Instance> earlier = earlier(launch);
        if (earlier.isPresent()) {
            doubtful.remove(launch.token());
            return again(launch, earlier.get());
        }
        List<String> lacks = new ArrayList<>();
        List<Place> places = options.places();
        int first = doubtful.getOrDefault(launch.token(), 0);
        long start = SystemClock.INSTANCE.nanos();
        for (int n = 0; n < places.size() && SystemClock.INSTANCE.nanos() - start < LAUNCH_NANOS_MAX; n++) {
            int i = (first + n) % places.size();
            RunInstancesRequest request = request(launch, template, places.get(i), launch.token() + "-" + i);
            try {
                Instance instance = client.runInstances(request).instances().get(0);
                doubtful.put(launch.token(), i); // a repetition may come before EC2 lists it
                LOG.info("server {} is instance {}", launch.server(), instance.instanceId());
                return instance(instance, launch.token());
            } catch (SdkException e) {
                if (!(e instanceof Ec2Exception lack) || !Ec2ErrorMapper.isLackOfCapacity(lack)) {
                    doubtful.put(launch.token(), i);
                    throw Ec2ErrorMapper.map("launch " + launch.server(), "ec2:RunInstances", e);
                }
                doubtful.remove(launch.token());
                lacks.add(text(places.get(i)) + ": " + Ec2ErrorMapper.code(lack));
            }
        }
        throw new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "EC2 has no capacity for " + launch.server() + " (" + String.join("; ", lacks)
                        + "): add subnets or instance-types to uniserve.coordinator.scaling.ec2");
    }

    private static String text(Place place) {
        return (place.instanceType().isEmpty() ? "type of the template" : place.instanceType()) + " in "
                + (place.subnet().isEmpty() ? "its subnet" : place.subnet());
    }

    /** Instance with this token; one that lives before one that has ended, then the oldest. */
    private Optional<Instance> earlier(Launch launch) {
        return describe(filter("tag:" + TOKEN_TAG, launch.token())).stream()
                .filter(instance -> tag(instance, CLUSTER_TAG).equals(launch.identity()))
                .min(Comparator.comparing((Instance instance) -> status(instance) == Status.ENDED)
                        .thenComparing(Instance::launchTime)
                        .thenComparing(Instance::instanceId));
    }

    private ServerProvider.Instance again(Launch launch, Instance found) {
        if (found.state().name() == InstanceStateName.STOPPED) {
            send(
                    "start " + found.instanceId(),
                    "ec2:StartInstances",
                    () -> client.startInstances(request -> request.instanceIds(found.instanceId())));
            LOG.info("server {}: stopped instance {} starts again", launch.server(), found.instanceId());
        }
        return instance(found, launch.token());
    }

    private RunInstancesRequest request(Launch launch, LaunchTemplate template, Place place, String clientToken) {
        List<Tag> tags = List.of(
                tag(NAME_TAG, launch.server().value()),
                tag(CLUSTER_TAG, launch.identity()),
                tag(TOKEN_TAG, launch.token()),
                tag(SERVER_TAG, launch.server().value()));
        RunInstancesRequest.Builder request = RunInstancesRequest.builder()
                .launchTemplate(template.toSpecification())
                .minCount(1)
                .maxCount(1)
                .clientToken(clientToken)
                .metadataOptions(metadata -> metadata.httpEndpoint(InstanceMetadataEndpointState.ENABLED)
                        .httpTokens(HttpTokensState.REQUIRED)
                        .instanceMetadataTags(InstanceMetadataTagsState.ENABLED))
                .tagSpecifications(
                        specification(ResourceType.INSTANCE, tags), specification(ResourceType.VOLUME, tags));
        if (!place.instanceType().isEmpty()) {
            request.instanceType(place.instanceType());
        }
        if (!place.subnet().isEmpty()) {
            request.subnetId(place.subnet());
        }
        if (options.spot()) {
            request.instanceMarketOptions(market -> market.marketType(MarketType.SPOT));
        }
        return request.build();
    }

    private static Tag tag(String key, String value) {
        return Tag.builder().key(key).value(value).build();
    }

    private static TagSpecification specification(ResourceType type, List<Tag> tags) {
        return TagSpecification.builder().resourceType(type).tags(tags).build();
    }

    @Override
    public void terminate(String instanceId) {
        Optional<Instance> found;
        try {
            found = describe(request -> request.instanceIds(instanceId)).stream()
                    .findFirst();
        } catch (UniserveException e) {
            if (Ec2ErrorMapper.isUnknownInstance(e.getCause())) {
                return; // EC2 forgets ended instances after an hour
            }
            throw e;
        }
        if (found.isPresent() && !ScalingInstance.isToken(tag(found.get(), TOKEN_TAG))) {
            throw UniserveException.invalid("instance " + instanceId + " was not launched by Uniserve: it has no tag "
                    + TOKEN_TAG + ", and is not terminated");
        }
        if (found.isPresent() && status(found.get()) != Status.ENDED) {
            send(
                    "terminate " + instanceId,
                    "ec2:TerminateInstances",
                    () -> client.terminateInstances(request -> request.instanceIds(instanceId)));
        }
    }

    @Override
    public List<ServerProvider.Instance> list(String identity) {
        List<Instance> found = describe(filter("tag:" + CLUSTER_TAG, identity));
        Map<String, String> living = new TreeMap<>();
        for (Instance instance : found) {
            String token = tag(instance, TOKEN_TAG);
            String other = status(instance) == Status.ENDED ? null : living.put(token, instance.instanceId());
            if (other != null) {
                LOG.error(
                        "instances {} and {} both have the tag {}={}: terminate the one that does not run server {}",
                        other,
                        instance.instanceId(),
                        TOKEN_TAG,
                        token,
                        tag(instance, SERVER_TAG));
            }
        }
        return found.stream()
                .map(instance -> instance(instance, tag(instance, TOKEN_TAG)))
                .toList();
    }

    private static Consumer<DescribeInstancesRequest.Builder> filter(String name, String value) {
        return request -> request.filters(
                        Filter.builder().name(name).values(value).build())
                .maxResults(PAGE);
    }

    private List<Instance> describe(Consumer<DescribeInstancesRequest.Builder> query) {
        List<Instance> all = new ArrayList<>();
        String token = null;
        do {
            DescribeInstancesRequest request = DescribeInstancesRequest.builder()
                    .applyMutation(query)
                    .nextToken(token)
                    .build();
            DescribeInstancesResponse page =
                    send("list instances", "ec2:DescribeInstances", () -> client.describeInstances(request));
            page.reservations().forEach(reservation -> all.addAll(reservation.instances()));
            token = page.nextToken();
        } while (token != null && !token.isEmpty());
        return all;
    }

    private static <T> T send(String what, String action, Supplier<T> call) {
        try {
            return call.get();
        } catch (SdkException e) {
            throw Ec2ErrorMapper.map(what, action, e);
        }
    }

    private static ServerProvider.Instance instance(Instance found, String token) {
        return new ServerProvider.Instance(found.instanceId(), token, status(found));
    }

    private static String tag(Instance instance, String key) {
        return instance.tags().stream()
                .filter(tag -> tag.key().equals(key))
                .map(Tag::value)
                .findFirst()
                .orElse("");
    }

    private static Status status(Instance instance) {
        return switch (instance.state().name()) {
            case PENDING -> Status.PENDING;
            case STOPPING, STOPPED -> Status.STOPPED;
            case SHUTTING_DOWN, TERMINATED -> Status.ENDED;
            default -> Status.RUNNING;
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
