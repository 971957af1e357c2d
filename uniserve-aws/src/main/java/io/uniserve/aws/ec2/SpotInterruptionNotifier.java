package io.uniserve.aws.ec2;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.provider.InterruptionNotifier;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;
import software.amazon.awssdk.protocols.jsoncore.JsonNodeParser;

/**
 * Notices of EC2 that a spot instance is interrupted, two minutes before. The instance's metadata have them, as
 * {@code spot/instance-action}; without a notice EC2 answers 404. Not thread-safe.
 */
public final class SpotInterruptionNotifier implements InterruptionNotifier {
    static final String PATH = "/latest/meta-data/spot/instance-action";
    /** Variable of AWS' own tools for another address of the metadata. */
    private static final String ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT";

    private static final Set<String> ACTIONS = Set.of("terminate", "stop", "hibernate");
    private static final int SHOWN_MAX = 100;

    private final InstanceMetadataClient metadata;

    /** Notifier of the instance on which this process runs. */
    public SpotInterruptionNotifier() {
        this(Optional.ofNullable(System.getenv(ENDPOINT))
                .filter(text -> !text.isBlank())
                .orElse("http://169.254.169.254"));
    }

    SpotInterruptionNotifier(String endpoint) {
        this.metadata = new InstanceMetadataClient(endpoint, ENDPOINT);
    }

    @Override
    public String name() {
        return "ec2";
    }

    @Override
    public Optional<Notice> poll() {
        return metadata.read(PATH).map(SpotInterruptionNotifier::parse);
    }

    private static Notice parse(String body) {
        try {
            JsonNode root = JsonNodeParser.create().parse(body);
            String action = text(root, "action");
            String time = text(root, "time");
            if (action != null && time != null && ACTIONS.contains(action)) {
                return new Notice(action, Instant.parse(time));
            }
        } catch (RuntimeException e) { // the parser's errors have no common type
            throw unexpected(body, e);
        }
        throw unexpected(body, null);
    }

    private static @Nullable String text(JsonNode root, String field) {
        return root.isObject()
                ? root.field(field)
                        .filter(JsonNode::isString)
                        .map(JsonNode::asString)
                        .orElse(null)
                : null;
    }

    private static UniserveException unexpected(String body, @Nullable Throwable cause) {
        String shown = body.codePoints()
                .limit(SHOWN_MAX)
                .map(c -> Character.isISOControl(c) ? ' ' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return new UniserveException(
                ErrorCode.IO,
                "the instance's metadata answered " + PATH + " with \"" + shown
                        + "\": an object with action (terminate, stop or hibernate) and time was expected",
                cause);
    }
}
