package io.uniserve.aws.ec2;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.provider.BlockingServerProvider;
import io.uniserve.runtime.provider.ServerProviderFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.Ec2ClientBuilder;

/** Provider {@code ec2} of the auto-scaler. */
public final class Ec2ServerProviderFactory implements ServerProviderFactory {
    private static final Duration CONNECT = Duration.ofSeconds(5);
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
        Ec2ClientBuilder builder = Ec2Client.builder()
                .httpClientBuilder(
                        ApacheHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(CALL))
                .overrideConfiguration(override ->
                        override.retryStrategy(AwsRetryStrategy.doNotRetry()).apiCallTimeout(CALL));
        options.endpoint().ifPresent(builder::endpointOverride);
        options.region()
                .or(() -> Optional.ofNullable(System.getenv("AWS_REGION")))
                .or(() -> options.endpoint().map(unused -> "us-east-1"))
                .ifPresent(region -> builder.region(Region.of(region)));
        try {
            return builder.build();
        } catch (SdkClientException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.coordinator.scaling.ec2.region: " + e.getMessage() + "; set it, or AWS_REGION",
                    e);
        }
    }
}
