package io.uniserve.aws.ec2;

import io.uniserve.aws.sdk.SdkClients;
import io.uniserve.runtime.provider.BlockingServerProvider;
import io.uniserve.runtime.provider.ServerProviderFactory;
import java.time.Duration;
import java.util.Map;
import software.amazon.awssdk.services.ec2.Ec2Client;

/** Provider {@code ec2} of the auto-scaler. */
public final class Ec2ServerProviderFactory implements ServerProviderFactory {
    /** Below the coordinator's time-out of a call, so that its error names the cause. */
    private static final Duration CALL = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "ec2";
    }

    @Override
    public BlockingServerProvider create(Map<String, String> options) {
        LaunchTemplate unused = LaunchTemplate.parse(options.getOrDefault("template", ""));
        Ec2Options parsed = Ec2Options.of(options);
        return new Ec2ServerProvider(client(parsed), parsed);
    }

    /** Client without repetitions of its own: the coordinator repeats calls, with pauses. */
    static Ec2Client client(Ec2Options options) {
        return SdkClients.build(
                Ec2Client.builder(),
                options.region(),
                options.endpoint(),
                new SdkClients.Timeouts(CALL, CALL),
                "uniserve.coordinator.scaling.ec2.region",
                "set it, or AWS_REGION");
    }
}
