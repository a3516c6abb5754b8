/**
 * Token formats, from the providers' documentation and from two public rule sets: gitleaks
 * (github.com/gitleaks/gitleaks, config/gitleaks.toml) and secretlint (github.com/secretlint/secretlint, its preset).
 * Lengths are lower bounds, so that a longer or truncated token is masked too.
 * A line has a name and a pattern. If the pattern can begin in several ways, keywords follow, and each match contains
 * one. `*`: the match must look random. A pattern has one, two or three parts:
 *
 * - one: no ordinary text matches it;
 * - two: the first part counts only at the start of a word;
 * - three: the engine searches for the second part, the rarest one, and looks back from there for the first.
 */
export const TOKEN_TABLE = String.raw`
# platform.claude.com: sk-ant-api03-, sk-ant-admin01-; claude setup-token: sk-ant-oat01-.
Anthropic key           sk-ant- [\w-]{16,}
# platform.openai.com (also sk-proj-, sk-svcacct-, sk-admin-); OpenRouter, DeepSeek and others follow with sk-.
API key *               sk- [\w-]{20,}
# docs.github.com, token formats; ghs_ may go on with the parts of a JWT.
GitHub token            gh[pousr]_\w{30,}(?:\.[\w-]{10,})*|github_pat_\w{22,}  ghp_ gho_ ghu_ ghs_ ghr_ github_pat_
# docs.gitlab.com, token prefixes.
GitLab token            gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct)-[\w-]{20,}(?:\.\w{2,12})*  glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-
GitLab token            GR1348941[\w-]{20,}
GitLab cookie           _gitlab_session= [0-9a-z]{32}
# docs.aws.amazon.com, IAM identifiers.
AWS access key id       (?<![A-Z0-9])(?:A3T[A-Z0-9]|A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])  A3T AKIA ASIA ABIA ACCA
AWS Bedrock key         ABSK [A-Za-z0-9+/]{100,}={0,2}
# cloud.google.com: API keys, OAuth client secrets and access tokens.
Google key              AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}  AIza GOCSPX- ya29.
# api.slack.com, token types and incoming webhooks.
Slack token *           (?:xox[a-z](?:\.xox[a-z])?|xapp)- [\w-]{16,}  xox xapp-
Slack webhook           https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+-]{20,}  hooks.slack.com
# discord.com/developers: the id of a bot, a time and a signature; webhooks.
Discord token **        [MNO][\w-]{22,28} \.[\w-]{6}\. [\w-]{27,40}(?![\w-])  .
Discord webhook         https:\/\/(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{30,}  /api/webhooks/
Teams webhook           https:\/\/[a-z0-9]{1,63}\.webhook\.office\.com\/webhookb2\/[\w@/-]{40,}  .webhook.office.com
# core.telegram.org/bots: the id of a bot and 35 characters.
Telegram token          \d{8,12} :A [\w-]{34}(?![\w-])
# docs.stripe.com.
Stripe key              (?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}=*  sk_ rk_ whsec_
npm token               npm_ [A-Za-z0-9]{36,}
PyPI token              pypi-Ag [\w-]{40,}
RubyGems key            rubygems_ [a-f0-9]{40,}
Clojars token           CLOJARS_[a-z0-9]{60}
Hugging Face token      hf_ [A-Za-z0-9]{30,}
Hugging Face token      api_org_ [A-Za-z]{30,}
Groq key                gsk_ [A-Za-z0-9]{40,}
xAI key                 xai- [A-Za-z0-9]{60,}
Replicate token         r8_ [A-Za-z0-9]{30,}
Perplexity key          pplx- [A-Za-z0-9]{40,}
Fireworks key *         fw_ [A-Za-z0-9]{20,}
Databricks token        dapi [a-f0-9]{32}(?:-\d)?
Notion token            ntn_ [A-Za-z0-9]{40,}
Postman key             PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{30,}
Shopify token           shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}
# documentation.mailgun.com: private, public and signing keys.
Mailgun key             key- [a-f0-9]{32}(?![a-zA-Z0-9])
Mailgun key             [a-f0-9]{32} -[a-f0-9]{8}- [a-f0-9]{8}(?![\w-])  -
# twilio.com/docs: SendGrid API keys (22 and 43 characters), API key SIDs.
SendGrid key            SG\. [\w-]{16,32}\.[\w-]{30,64}
Twilio key              SK [0-9a-f]{32}(?![A-Za-z0-9])
Brevo key               xkeysib- [a-f0-9]{64}-\w{16}
Mailchimp key           [a-f0-9]{32} -us \d{1,2}(?!\w)
# learn.microsoft.com: connection strings of Azure Storage (88 characters) and Service Bus (44), client secrets.
Azure key               ((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}  AccountKey= SharedAccessKey=
Azure client secret     [\w.~]{3}\d Q~ [\w.~-]{31,34}(?![\w~-])
DigitalOcean token      do[opr]_v1_[0-9a-f]{64}  _v1_
Docker token            dckr_(?:pat|oat)_[\w-]{20,}
Linear key              lin_(?:api|oauth)_[A-Za-z0-9]{32,}
Vault token             hv[sbr]\. [\w-]{24,}
Terraform token         \.atlasv1\.(?<=(?<head>[A-Za-z0-9]{14})\.atlasv1\.)[\w-]{60,}
Doppler token           dp\.pt\. [A-Za-z0-9]{40,}
Dynatrace token         dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}
Grafana token           glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}  glc_ glsa_
New Relic key           NR(?:AK|II|RA|JS)-[A-Za-z0-9-]{19,}
Sentry token            sntrys_eyJ[\w+/=-]{40,}|sntryu_[a-f0-9]{60,}  sntrys_ sntryu_
Sonar token             sq[apu]_[a-f0-9]{40}  sqa_ sqp_ squ_
Sourcegraph token       sgp_ (?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}
Pulumi token            pul- [a-f0-9]{40}
PlanetScale secret      pscale_ (?:tkn|oauth|pw)_[\w.-]{32,}
Prefect key             pnu_ [A-Za-z0-9]{36}
Infracost key           ico- [A-Za-z0-9]{32}
Fly.io token            fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3}  fo1_ fm1 fm2
Heroku key              HRKU-AA [\w-]{50,}
Vercel token *          vc[acipkr]_ [A-Za-z0-9]{20,60}
Cloudflare token        cf(?:k|ut|at)_ [A-Za-z0-9]{40,}  cfk_ cfut_ cfat_
Cloudflare token        v1\.0-[a-f0-9]{24}-[a-f0-9]{140,}
Tailscale key           tskey-[a-z]{2,20}-\w{8,40}-\w{16,}
Figma token             figd_[\w-]{40,}
Airtable token          pat [A-Za-z0-9]{14}\.[a-f0-9]{64}
Atlassian token         ATATT3[\w=-]{100,}
Typeform token          tfp_[\w.=-]{50,}
Square token            sq0(?:atp|csp)-[\w-]{22,}
EasyPost key            EZ[AT]K[A-Za-z0-9]{54}
Shippo token            shippo_(?:live|test)_[a-f0-9]{40}
Duffel token            duffel_(?:test|live)_[\w=-]{40,}
Flutterwave key         FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?
Facebook token          EAA [A-Za-z0-9]{100,}
Mapbox token            sk\.eyJ [\w-]{40,}\.[\w-]{20,}
MaxMind key             _mmk(?<=(?<head>\w{6}_\w{29})_mmk)
Adobe secret            p8e-[A-Za-z0-9]{32}
Alibaba key id *        LTAI [A-Za-z0-9]{16,24}(?![A-Za-z0-9])
Yandex key              AQVN [\w-]{35,38}
Yandex key              t1\. [\w-]{10,}={0,2}\.[\w-]{86}={0,2}
Artifactory key         AKCp [A-Za-z0-9]{69}
Artifactory key         cmVmd [A-Za-z0-9]{59}
OpenShift token         sha256~[\w-]{43}
Octopus key *           API- [A-Z0-9]{25,}
ReadMe key              rdme_[a-z0-9]{70}
1Password key           A3- [A-Z0-9]{6}-[A-Z0-9]{6}(?:-?[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
1Password key           ops_eyJ[A-Za-z0-9+/]{200,}={0,3}
age key                 AGE-SECRET-KEY-1[A-Z0-9]{50,58}
# RFC 7519; header and payload are JSON objects, so both begin with eyJ; the signature may be cut off.
JWT                     eyJ [\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]*)?
Grafana token           eyJrIjoi [A-Za-z0-9]{60,}={0,3}
# Texts are cut to fit a line before they come here, and most of a key is still most of a secret.
cut-off token           (?:(?:gh[pousr]|npm|hf|do[opr]_v1|lin_api|gsk|r8|ntn)_|AIza|AKIA|ASIA) [A-Za-z0-9]{12,}(?=…?$)  ghp_ gho_ ghu_ ghs_ ghr_ npm_ hf_ _v1_ lin_api_ gsk_ r8_ ntn_ AIza AKIA ASIA
`;
